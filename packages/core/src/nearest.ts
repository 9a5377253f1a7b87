/** The names closest to a wrong one, best first: how a model that misspelt a tool is told what it meant. */
export function nearestNames(wrong: string, names: Iterable<string>, count = 3): string[] {
  const target = simplify(wrong.slice(0, 128));
  const limit = Math.max(2, Math.floor(target.length / 3));
  const scored: { name: string; distance: number }[] = [];
  for (const name of names) {
    const candidate = simplify(name);
    const contains = target.length >= 3 && (candidate.includes(target) || target.includes(candidate));
    const distance = contains ? 1 : editDistance(target, candidate, limit);
    if (distance <= limit) scored.push({ name, distance });
  }
  const extra = ({ name }: { name: string }) => Math.abs(name.length - wrong.length);
  scored.sort((a, b) => a.distance - b.distance || extra(a) - extra(b) || (a.name < b.name ? -1 : 1));
  return scored.slice(0, count).map((each) => each.name);
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Levenshtein distance, or anything above `limit` as soon as it is certain. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution));
    }
    if (Math.min(...current) > limit) return limit + 1;
    previous = current;
  }
  return previous[b.length]!;
}
