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
  const before = a.slice(start, a.length - end);
  const after = b.slice(start, b.length - end);
  return [
    ...edited(" ", a.slice(0, start)),
    ...(shortestEdits(before, after) ?? [...edited("-", before), ...edited("+", after)]),
    ...edited(" ", a.slice(a.length - end)),
  ];
}

function edited(op: Edit["op"], lines: readonly string[]): Edit[] {
  return lines.map((line) => ({ op, line }));
}

/** Myers' algorithm: furthest reach on each diagonal, edit by edit, kept so that the way back can be found. */
function shortestEdits(a: readonly string[], b: readonly string[]): Edit[] | undefined {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    const before = reach.slice(offset - edits - 1, offset + edits + 2);
    history.push(before);
    for (let k = -edits; k <= edits; k += 2) {
      const { down, x: from } = stepTo(k, edits, before);
      let x = down ? from : from + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, history);
    }
  }
  return undefined;
}

/**
 * How diagonal `k` is come to from what was reached with one edit less, which is 0 where nothing was: downwards, by adding
 * a line, or by removing one.
 */
function stepTo(k: number, edits: number, reach: Int32Array): { down: boolean; x: number } {
  const at = (diagonal: number) => reach[diagonal + edits + 1] ?? 0;
  const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
  return { down, x: at(down ? k + 1 : k - 1) };
}

function wayBack(a: readonly string[], b: readonly string[], history: readonly Int32Array[]): Edit[] {
  const parts: Edit[][] = [];
  let x = a.length;
  let y = b.length;
  for (const [edits, reach] of [...history.entries()].slice(1).reverse()) {
    const k = x - y;
    const { down, x: fromX } = stepTo(k, edits, reach);
    const fromY = fromX - (down ? k + 1 : k - 1);
    parts.push(edited(" ", a.slice(down ? fromX : fromX + 1, x)));
    parts.push(down ? edited("+", b.slice(fromY, fromY + 1)) : edited("-", a.slice(fromX, fromX + 1)));
    x = fromX;
    y = fromY;
  }
  parts.push(edited(" ", a.slice(0, x)));
  return parts.reverse().flat();
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
  let shown = 0;
  let before = { a: 0, b: 0 };
  return ranges.flatMap(({ first, last }) => {
    const from = Math.max(0, first - CONTEXT);
    const to = Math.min(edits.length, last + CONTEXT + 1);
    const part = edits.slice(from, to);
    const skipped = lengths(edits.slice(shown, from));
    const { a, b } = lengths(part);
    const header = `@@ -${span(before.a + skipped.a, a)} +${span(before.b + skipped.b, b)} @@`;
    before = { a: before.a + skipped.a + a, b: before.b + skipped.b + b };
    shown = to;
    return [header, ...part.flatMap(rendered)];
  });
}

/** How many lines of each side there are. */
function lengths(edits: readonly Edit[]): { a: number; b: number } {
  return {
    a: edits.filter(({ op }) => op !== "+").length,
    b: edits.filter(({ op }) => op !== "-").length,
  };
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
