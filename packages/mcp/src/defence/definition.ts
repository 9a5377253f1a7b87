import { createHash } from "node:crypto";
import { canonicalJson } from "@toolrig/core/kit";

/**
 * What a server says of a tool or of something else that it offers, as far as a model or a person decides by it. As the server wrote it,
 * nothing cleaned.
 */
export interface ForeignDefinition {
  /** Absent: a tool. */
  kind?: "prompt" | "template" | "instructions";
  name: string;
  title?: unknown;
  description?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  icons?: unknown;
  _meta?: unknown;
  /** Of a prompt. */
  arguments?: unknown;
  /** Of a template. */
  uriTemplate?: unknown;
  mimeType?: unknown;
  /** Of instructions. */
  text?: unknown;
}

/** In the order in which a change is shown. */
export const DEFINITION_FIELDS = [
  "title",
  "description",
  "text",
  "arguments",
  "uriTemplate",
  "mimeType",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "_meta",
] as const;
const FIELDS = ["kind", "name", ...DEFINITION_FIELDS] as const;

/** Only for what is known to have a name and to be within the limits. */
export function definitionOf(listed: Readonly<Record<string, unknown>>): ForeignDefinition {
  const kept = FIELDS.filter((field) => listed[field] !== undefined).map((field) => [field, listed[field]]);
  return Object.fromEntries(kept) as ForeignDefinition;
}

/** The same for the same definition, whatever the order of its keys. */
export function hashOf(definition: ForeignDefinition): string {
  return createHash("sha256").update(canonicalJson(definition)).digest("hex");
}
