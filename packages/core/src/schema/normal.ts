import type { Matcher } from "./pattern.ts";

/**
 * A schema in normal form: JSON Schema 2020-12 with known, well-formed keywords only. Older drafts are translated,
 * `const` is an `enum` of one, every `$ref` is "#" or "#/$defs/<index>", unknown formats and keywords are gone. What
 * is compiled, explained and used for coercion is always this form, so they cannot disagree on what a schema means.
 */
export interface NormalSchema {
  trusted: boolean;
  root: Schema;
  definitions: readonly Schema[];
  /** Whether any `$ref` occurs: without one, a schema is a tree and cannot multiply. */
  references: boolean;
  patterns: ReadonlyMap<string, Matcher>;
  /** Subschemas, enum values and required names: what compiling the schema costs. */
  size: number;
  /**
   * Whether compiled code would give wrong answers: for properties named like something every object inherits
   * (`constructor`, `__proto__`), and for `contains` and `unevaluated...`, where Ajv deviates from the standard. Also
   * where it would take more than linear time: `uniqueItems` over objects and arrays.
   */
  uncompilable: boolean;
}

export type Schema = boolean | SchemaObject;

export type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

export interface SchemaObject {
  $ref?: string;
  type?: TypeName[];
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  prefixItems?: Schema[];
  items?: Schema;
  contains?: Schema;
  minContains?: number;
  maxContains?: number;
  unevaluatedItems?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema;
  propertyNames?: Schema;
  required?: readonly string[];
  minProperties?: number;
  maxProperties?: number;
  dependentRequired?: Record<string, readonly string[]>;
  dependentSchemas?: Record<string, Schema>;
  unevaluatedProperties?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
  description?: string;
}

/** What a `$ref` of the normal form points to. */
export function target(normal: NormalSchema, ref: string): Schema {
  return ref === "#" ? normal.root : (normal.definitions[Number(ref.slice("#/$defs/".length))] ?? true);
}

/** Subschemas that apply to the same value as `schema` itself. */
export function* inPlace(schema: SchemaObject, normal: NormalSchema): Generator<Schema> {
  if (schema.$ref !== undefined) yield target(normal, schema.$ref);
  if (schema.allOf !== undefined) yield* schema.allOf;
  if (schema.anyOf !== undefined) yield* schema.anyOf;
  if (schema.oneOf !== undefined) yield* schema.oneOf;
  for (const part of [schema.not, schema.if, schema.then, schema.else]) if (part !== undefined) yield part;
  if (schema.dependentSchemas !== undefined) yield* Object.values(schema.dependentSchemas);
}

/** Subschemas that apply to a part of the value: an element, a property or a property's name. */
export function* onParts(schema: SchemaObject): Generator<Schema> {
  if (schema.prefixItems !== undefined) yield* schema.prefixItems;
  if (schema.properties !== undefined) yield* Object.values(schema.properties);
  if (schema.patternProperties !== undefined) yield* Object.values(schema.patternProperties);
  const { items, contains, unevaluatedItems, additionalProperties, propertyNames, unevaluatedProperties } =
    schema;
  for (const part of [
    items,
    contains,
    unevaluatedItems,
    additionalProperties,
    propertyNames,
    unevaluatedProperties,
  ]) {
    if (part !== undefined) yield part;
  }
}
