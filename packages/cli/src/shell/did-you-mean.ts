import { nearestNames } from "@toolrig/core/kit";

/** A hint to put after a sentence, ` Did you mean "tools"?`; nothing where no name is near. */
export function didYouMean(typed: string, names: readonly string[]): string {
  return nearestNames(typed, names, 1)
    .map((nearest) => ` Did you mean "${nearest}"?`)
    .join("");
}
