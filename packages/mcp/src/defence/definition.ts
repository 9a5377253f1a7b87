import { createHash } from "node:crypto";
import { canonicalJson } from "@toolrig/core/kit";

/** What a server lists of a tool, as far as a model or a person decides by it. As the server wrote it, nothing cleaned. */
export interface ForeignDefinition {
  name: string;
  title?: unknown;
  description?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
}

const FIELDS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** Only for what is known to have a name and to be within the limits. */
export function definitionOf(listed: Readonly<Record<string, unknown>>): ForeignDefinition {
  const kept = FIELDS.filter((field) => listed[field] !== undefined).map((field) => [field, listed[field]]);
  return Object.fromEntries(kept) as ForeignDefinition;
}

/** The same for the same definition, whatever the order of its keys. */
export function hashOf(definition: ForeignDefinition): string {
  return createHash("sha256").update(canonicalJson(definition)).digest("hex");
}
