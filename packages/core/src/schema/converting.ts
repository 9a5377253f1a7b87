import { isRecord } from "../is-record.ts";

type Json = Record<string, unknown>;

/** Marks in a library's JSON Schema where it converts whatever it is given, with the type that it converts to. */
export const CONVERTS = "~converts";

/** What a value that is converted must be, by the type it is converted to. Anything else would be made up. */
const MEANT: Readonly<Record<string, Json>> = {
  number: { type: "number" },
  boolean: { type: "boolean" },
  string: { type: "string" },
  bigint: { anyOf: [{ type: "integer" }, { type: "string", pattern: "^\\s*[+-]?\\d+\\s*$" }] },
  date: { type: "string", pattern: "^\\s*\\d{4}-\\d{2}-\\d{2}" },
};

const MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const LISTS = ["prefixItems", "allOf"];
const SINGLE = ["items", "additionalProperties"];
const UNIONS = ["anyOf", "oneOf"];

/**
 * A JSON Schema that speaks only of the places where a library converts: to JavaScript "" is 0, null is 0 and "no" is true,
 * which a tool must not run with. Undefined for a schema that converts nothing.
 */
export function convertingParts(schema: unknown): Json | undefined {
  return JSON.stringify(schema).includes(`"${CONVERTS}":`) ? partsOf(schema) : undefined;
}

function partsOf(schema: unknown): Json {
  if (!isRecord(schema)) return {};
  const meant = MEANT[String(schema[CONVERTS])];
  if (meant !== undefined) return meant;
  const parts: Json = typeof schema.$ref === "string" ? { $ref: schema.$ref } : {};
  for (const keyword of MAPS) {
    const map = schema[keyword];
    if (isRecord(map))
      parts[keyword] = Object.fromEntries(Object.entries(map).map(([name, part]) => [name, partsOf(part)]));
  }
  for (const keyword of LISTS) {
    const list = schema[keyword];
    if (Array.isArray(list)) parts[keyword] = list.map(partsOf);
  }
  for (const keyword of SINGLE) if (isRecord(schema[keyword])) parts[keyword] = partsOf(schema[keyword]);
  for (const keyword of UNIONS) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) parts.anyOf = branches.map(branchOf);
  }
  return parts;
}

/** A branch that does not convert takes only what it names, else it would let through what another one converts. */
function branchOf(branch: unknown): Json {
  const parts = partsOf(branch);
  if (!isRecord(branch) || branch[CONVERTS] !== undefined) return parts;
  for (const keyword of ["type", "enum", "const"])
    if (branch[keyword] !== undefined) parts[keyword] = branch[keyword];
  return parts;
}
