import { canonicalJson } from "./canonical.ts";
import type { ToolDefinition } from "./definition.ts";
import { sha256 } from "./sha256.ts";

const known = new WeakMap<ToolDefinition, string>();

/** SHA-256 of a definition, in hex. Made once a definition: they are immutable. */
export function definitionHash(definition: ToolDefinition): string {
  let hash = known.get(definition);
  if (hash === undefined) {
    hash = sha256(canonicalJson(definition));
    known.set(definition, hash);
  }
  return hash;
}
