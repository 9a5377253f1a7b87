/** How many lines around a change are shown. */
const CONTEXT = 3;
/** Beyond this many differing lines, the stretch between the first and the last is shown as replaced. */
const MAX_EDITS = 2_000;

interface Edit {
  op: " " | "-" | "+";
  line: string;
}

/**
 * The difference of two texts in the unified format, "" when they are the same. An absent side is a file that does not
 * exist. Time and memory are bounded: texts that differ in too many lines are shown as a whole replacement.
 */
export function unifiedDiff(
  from: { path: string; text: string | undefined },
  to: { path: string; text: string | undefined },
): string {
  if (from.text === to.text) return "";
  const edits = compare(linesOf(from.text), linesOf(to.text));
  const header = [
    `--- ${from.text === undefined ? "/dev/null" : `a/${from.path}`}`,
    `+++ ${to.text === undefined ? "/dev/null" : `b/${to.path}`}`,
  ];
  return `${[...header, ...hunks(edits)].join("\n")}\n`;
}

/** Lines keep their end, so that a missing one at the end of a file is a difference. */
function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return text.split(/(?<=\n)/);
}

function compare(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ op: " ", line }));
  const before = a.slice(start, a.length - end);
  const after = b.slice(start, b.length - end);
  return [
    ...same(a.slice(0, start)),
    ...(shortestEdits(before, after) ?? replaced(before, after)),
    ...same(a.slice(a.length - end)),
  ];
}

function replaced(a: readonly string[], b: readonly string[]): Edit[] {
  return [...a.map((line): Edit => ({ op: "-", line })), ...b.map((line): Edit => ({ op: "+", line }))];
}

/** Myers' algorithm: furthest reach on each diagonal, edit by edit, kept so that the way back can be found. */
function shortestEdits(a: readonly string[], b: readonly string[]): Edit[] | undefined {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    history.push(reach.slice(offset - edits - 1, offset + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && reach[offset + k - 1]! < reach[offset + k + 1]!);
      let x = down ? reach[offset + k + 1]! : reach[offset + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, history);
    }
  }
  return undefined;
}

function wayBack(a: readonly string[], b: readonly string[], history: readonly Int32Array[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  for (let step = history.length - 1; step >= 0; step--) {
    const reach = history[step]!;
    const at = (k: number) => reach[k + step + 1]!;
    const k = x - y;
    const down = k === -step || (k !== step && at(k - 1) < at(k + 1));
    const fromX = step === 0 ? 0 : down ? at(k + 1) : at(k - 1);
    const fromY = step === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY && a[x - 1] === b[y - 1]) {
      edits.push({ op: " ", line: a[x - 1]! });
      x--;
      y--;
    }
    if (step === 0) break;
    edits.push(down ? { op: "+", line: b[fromY]! } : { op: "-", line: a[fromX]! });
    x = fromX;
    y = fromY;
  }
  return edits.reverse();
}

/** Changes that are near each other, with the lines around them. */
function hunks(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({ op }, index) => (op === " " ? [] : [index]));
  const ranges: { first: number; last: number }[] = [];
  for (const index of changed) {
    const range = ranges.at(-1);
    if (range !== undefined && index - range.last <= 2 * CONTEXT) range.last = index;
    else ranges.push({ first: index, last: index });
  }
  const counted = positions(edits);
  return ranges.flatMap(({ first, last }) => {
    const from = Math.max(0, first - CONTEXT);
    const to = Math.min(edits.length, last + CONTEXT + 1);
    const part = edits.slice(from, to);
    const a = span(counted[from]!.a, part.filter(({ op }) => op !== "+").length);
    const b = span(counted[from]!.b, part.filter(({ op }) => op !== "-").length);
    return [`@@ -${a} +${b} @@`, ...part.flatMap(rendered)];
  });
}

/** How many lines of each side come before each edit. */
function positions(edits: readonly Edit[]): { a: number; b: number }[] {
  let a = 0;
  let b = 0;
  return edits.map(({ op }) => {
    const here = { a, b };
    if (op !== "+") a++;
    if (op !== "-") b++;
    return here;
  });
}

/** An empty stretch names the line before it, as the format wants. */
function span(before: number, count: number): string {
  const first = count === 0 ? before : before + 1;
  return count === 1 ? `${first}` : `${first},${count}`;
}

function rendered({ op, line }: Edit): string[] {
  if (line.endsWith("\n")) return [`${op}${line.slice(0, -1)}`];
  return [`${op}${line}`, "\\ No newline at end of file"];
}
