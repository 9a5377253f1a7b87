import { nearestNames } from "@toolrig/core/kit";

/** Two of three letters wrong are no likeness: so short a word must begin alike. */
const SHORT = 3;

/** A hint to put after a sentence, ` Did you mean "tools"?`; nothing where no name is near. */
export function didYouMean(
  typed: string,
  names: readonly string[],
  shown = (name: string) => JSON.stringify(name),
): string {
  return nearestNames(typed, names, 1)
    .filter((nearest) => typed.length > SHORT || nearest.startsWith(typed.slice(0, 1)))
    .map((nearest) => ` Did you mean ${shown(nearest)}?`)
    .join("");
}
