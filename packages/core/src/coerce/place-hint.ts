import { SchemaHint } from "@toolrig/json/kit";
import type { Path } from "../schema/evaluate.ts";
import type { NormalSchema } from "../schema/normal.ts";

const HINTS = new WeakMap<NormalSchema, SchemaHint>();

/** What a schema says about a place of its documents. */
export function placeHint(normal: NormalSchema, path: Path | undefined): SchemaHint | undefined {
  const { root, definitions } = normal;
  if (typeof root === "boolean") return undefined;
  let hint = HINTS.get(normal);
  if (hint === undefined) {
    hint = new SchemaHint({ ...root, $defs: definitions }, [root]);
    HINTS.set(normal, hint);
  }
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.unshift(at.key);
  return hint.at(keys);
}
