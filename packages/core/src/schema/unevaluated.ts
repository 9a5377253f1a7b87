import { type NormalSchema, type Schema, type SchemaObject, target } from "./normal.ts";
import { has } from "./scalar.ts";

/** What this file needs of an evaluation. */
interface Deciding {
  readonly normal: NormalSchema;
  isValid(schema: Schema, value: unknown): boolean;
  childrenOf(schema: SchemaObject): ((key: string) => readonly Schema[]) | undefined;
  spend(steps: number): void;
}

/**
 * The properties or elements that some keyword of `schema`, or of what applies in place and accepts the value, has
 * looked at: what is left over is what `unevaluatedProperties` and `unevaluatedItems` are about.
 */
export function evaluatedParts(
  deciding: Deciding,
  schema: SchemaObject,
  value: object,
): Set<string | number> {
  const seen = new Set<string | number>();
  const { unevaluatedItems: _items, unevaluatedProperties: _properties, ...others } = schema;
  addParts(deciding, others, value, seen);
  for (const part of applied(deciding, schema, value)) addParts(deciding, part, value, seen);
  return seen;
}

function addParts(deciding: Deciding, schema: SchemaObject, value: object, seen: Set<string | number>): void {
  if (Array.isArray(value)) {
    const all = schema.items !== undefined || schema.unevaluatedItems !== undefined;
    const count = all ? value.length : Math.min(schema.prefixItems?.length ?? 0, value.length);
    for (let i = 0; i < count; i++) seen.add(i);
    const { contains } = schema;
    if (contains === undefined) return;
    for (const [i, item] of value.entries()) if (deciding.isValid(contains, item)) seen.add(i);
    return;
  }
  const applies = deciding.childrenOf(schema);
  for (const key of Object.keys(value)) {
    if (schema.unevaluatedProperties !== undefined || (applies?.(key).length ?? 0) > 0) seen.add(key);
  }
}

/** Every subschema that applies in place to `value` and accepts it, `schema` itself excluded. */
function* applied(deciding: Deciding, schema: SchemaObject, value: object): Generator<SchemaObject> {
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (schema.$ref !== undefined) parts.push(target(deciding.normal, schema.$ref));
  if (schema.if !== undefined) {
    parts.push(schema.if, (deciding.isValid(schema.if, value) ? schema.then : schema.else) ?? true);
  }
  for (const [name, part] of Object.entries(schema.dependentSchemas ?? {}))
    if (has(value, name)) parts.push(part);
  for (const part of parts) {
    deciding.spend(1);
    if (typeof part === "boolean" || !deciding.isValid(part, value)) continue;
    yield part;
    yield* applied(deciding, part, value);
  }
}
