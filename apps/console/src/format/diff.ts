/** Of each part whether it is only on its side. */
export interface Difference {
  before: boolean[];
  after: boolean[];
}

/** Past so many changes nobody reads marks, and finding them takes long. */
const MAX_CHANGES = 600;

/**
 * The fewest parts to take out and put in to make one list of the other. Answers undefined where there are more changes than
 * are worth marking. Work is bounded by the length times the changes.
 */
export function difference(before: readonly string[], after: readonly string[]): Difference | undefined {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const trace = walk(a, b);
  if (trace === undefined) return undefined;
  const marks = { before: before.map(() => false), after: after.map(() => false) };
  goBack(trace, a.length, b.length, {
    removed: (at) => {
      marks.before[start + at] = true;
    },
    added: (at) => {
      marks.after[start + at] = true;
    },
  });
  return marks;
}

/** Myers' greedy walk: how far one comes on each diagonal with each number of changes. */
function walk(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let changes = 0; changes <= Math.min(a.length + b.length, MAX_CHANGES); changes++) {
    trace.push(reach);
    const next = new Map<number, number>();
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = takesDown(reach, diagonal, changes) ? far(reach, diagonal + 1) : far(reach, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
    reach = next;
  }
  return undefined;
}

function goBack(
  trace: readonly Map<number, number>[],
  length: number,
  otherLength: number,
  mark: { removed(at: number): void; added(at: number): void },
): void {
  let x = length;
  let y = otherLength;
  for (let changes = trace.length - 1; changes > 0; changes--) {
    const reach = trace[changes] ?? new Map<number, number>();
    const diagonal = x - y;
    const down = takesDown(reach, diagonal, changes);
    const from = down ? diagonal + 1 : diagonal - 1;
    x = far(reach, from);
    y = x - from;
    if (down) mark.added(y);
    else mark.removed(x);
  }
}

function takesDown(reach: Map<number, number>, diagonal: number, changes: number): boolean {
  return (
    diagonal === -changes || (diagonal !== changes && far(reach, diagonal - 1) < far(reach, diagonal + 1))
  );
}

function far(reach: Map<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? 0;
}

/** Words, numbers, blanks and single signs: what a change is marked by. */
export function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
