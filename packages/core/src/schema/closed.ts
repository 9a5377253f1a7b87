import type { Schema, SchemaObject } from "./normal.ts";

const MAX_DEPTH = 32;

/**
 * Returns true for a schema that describes every property of every value that it accepts, at any depth, so that no value has to be
 * looked at. False proves nothing.
 */
export function isClosed(schema: Schema, depth = 0): boolean {
  if (typeof schema === "boolean") return true;
  if (depth > MAX_DEPTH || isComposed(schema)) return false;
  const mayBe = (type: string) => schema.type === undefined || schema.type.includes(type as never);
  if (mayBe("array") && !hasClosedItems(schema, depth)) return false;
  return !mayBe("object") || hasClosedProperties(schema, depth);
}

function hasClosedItems({ items, prefixItems }: SchemaObject, depth: number): boolean {
  return prefixItems === undefined && (items === undefined || isClosed(items, depth + 1));
}

function hasClosedProperties({ properties, additionalProperties }: SchemaObject, depth: number): boolean {
  if (additionalProperties === undefined) return properties === undefined;
  const parts = [additionalProperties, ...Object.values(properties ?? {})];
  return parts.every((part) => isClosed(part, depth + 1));
}

/** Returns true where other subschemas than those of properties and items describe a value, too. */
export function isComposed(schema: SchemaObject): boolean {
  return (
    schema.$ref !== undefined ||
    schema.allOf !== undefined ||
    schema.anyOf !== undefined ||
    schema.oneOf !== undefined ||
    schema.if !== undefined ||
    schema.dependentSchemas !== undefined ||
    schema.patternProperties !== undefined ||
    schema.unevaluatedProperties !== undefined
  );
}
