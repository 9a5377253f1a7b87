import type { JsonSchema } from "@toolrig/core";
import { isRecord } from "@toolrig/core/kit";

/** Keywords whose values are no schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);

/**
 * A server's schema without the demand for properties that it has a default for: the server fills them in by its own rule. Schemas that
 * are made from code list them as required although the code does not need them. Only for schemas whose depth is known to be bounded.
 */
export function optionalDefaults(schema: unknown): JsonSchema {
  return relaxed(schema) as JsonSchema;
}

function relaxed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(relaxed);
  if (!isRecord(part)) return part;
  const { properties, required } = part;
  const entries = Object.entries(part).map(([key, value]) => [key, DATA.has(key) ? value : relaxed(value)]);
  const inner: Record<string, unknown> = Object.fromEntries(entries);
  if (!Array.isArray(required) || !isRecord(properties)) return inner;
  const isDemanded = (name: unknown) => {
    const property =
      typeof name === "string" && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !(isRecord(property) && Object.hasOwn(property, "default"));
  };
  inner.required = required.filter(isDemanded);
  return inner;
}
