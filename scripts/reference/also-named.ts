import { type Exported, isOurs, lookUp, placeOf } from "./read.ts";

/**
 * What declarations name that is not among the `given`, with all that those name in turn. Nobody can import it, and everybody
 * depends on it: options, results, what a class extends.
 */
export function alsoNamed(exported: readonly Exported[], given: ReadonlySet<string>): Exported[] {
  const found = new Map<string, Exported>();
  const left = [...exported];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const { name, from } of next.uses) {
      if (from !== undefined && !isOurs(from)) continue;
      const used = lookUp(from === undefined ? next.at.file : placeOf(next.at.file, from), name);
      if (used === undefined || given.has(placeIn(used)) || found.has(placeIn(used))) continue;
      found.set(placeIn(used), used);
      left.push(used);
    }
  }
  return [...found.values()].sort((a, b) => placeOrder(a).localeCompare(placeOrder(b), "en"));
}

/** One declaration has one, under whatever names it is given out. */
export function placeIn({ at }: Exported): string {
  return `${at.file}#${at.name}`;
}

function placeOrder({ at }: Exported): string {
  return `${at.name} ${at.file}`;
}
