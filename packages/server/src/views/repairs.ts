import type { Repair } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { CallStory } from "../wire.ts";

/** What was changed in the arguments, in words. */
export function repairsOf(repairs: readonly Repair[]): CallStory["repairs"] {
  return repairs.map(({ kind, path, position, before, after }) => {
    const at = path ?? (position === undefined ? undefined : `character ${position}`);
    return {
      kind,
      ...defined({ at }),
      message: `${before === "" ? "nothing" : before} → ${after === "" ? "nothing" : after}`,
    };
  });
}
