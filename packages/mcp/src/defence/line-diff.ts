/** How many pairs of lines are compared at most; beyond, all old lines are shown as gone and all new ones as come. */
const MAX_PAIRS = 4_000_000;

/** The lines of two texts: "  " before those that are in both, "- " before those of the first alone, "+ " of the second. */
export function lineDiff(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const middle = changed(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

function changed(old: readonly string[], now: readonly string[]): string[] {
  if (old.length * now.length > MAX_PAIRS)
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  const common = commonTails(old, now);
  const width = now.length + 1;
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push(`  ${old[a]}`);
      a += 1;
      b += 1;
    } else if (
      b === now.length ||
      (a < old.length && (common[(a + 1) * width + b] ?? 0) >= (common[a * width + b + 1] ?? 0))
    ) {
      lines.push(`- ${old[a]}`);
      a += 1;
    } else {
      lines.push(`+ ${now[b]}`);
      b += 1;
    }
  }
  return lines;
}

/** How many lines the rest of both has in common, from each pair of places on. */
function commonTails(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      common[a * width + b] =
        old[a] === now[b]
          ? (common[(a + 1) * width + b + 1] ?? 0) + 1
          : Math.max(common[(a + 1) * width + b] ?? 0, common[a * width + b + 1] ?? 0);
  return common;
}
