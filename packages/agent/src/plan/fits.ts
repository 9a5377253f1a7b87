import type { JsonSchema } from "@toolrig/core";
import { coerce } from "@toolrig/core";
import type { Reference } from "./plan.ts";
import { isReference, keysOf, referencesIn } from "./reference.ts";

/** What is known of a value before it exists: its schema, that it cannot be there, or nothing. */
export type Known = JsonSchema | "missing" | undefined;

type TypeOf = (reference: Reference) => Known;

/** Why a value with references in it can never match a schema. Only what is certain counts. */
export function misfits(value: unknown, schema: JsonSchema, typeOf: TypeOf, path = ""): string[] {
  if (isReference(value)) return referenceMisfits(value, schema, typeOf, path);
  if (referencesIn(value).length === 0) {
    const { ok, issues } = coerce(value, schema);
    return ok ? [] : issues.map((issue) => `${at(`${path}${issue.path}`)}${issue.message}`);
  }
  if (Array.isArray(value)) {
    const wrong = typeMisfit(new Set(["array"]), schema, "an array", path);
    const items = subschema(schema.items);
    if (wrong !== undefined || items === undefined) return wrong === undefined ? [] : [wrong];
    return value.flatMap((each, index) => misfits(each, items, typeOf, `${path}/${index}`));
  }
  return objectMisfits(value as Record<string, unknown>, schema, typeOf, path);
}

function objectMisfits(
  value: Record<string, unknown>,
  schema: JsonSchema,
  typeOf: TypeOf,
  path: string,
): string[] {
  const wrong = typeMisfit(new Set(["object"]), schema, "an object", path);
  if (wrong !== undefined) return [wrong];
  const properties = subschema(schema.properties) ?? {};
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const found = required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => `${at(path)}${key} is required`);
  for (const [key, each] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? subschema(properties[key]) : undefined;
    if (property !== undefined) found.push(...misfits(each, property, typeOf, `${path}/${key}`));
    else if (schema.additionalProperties === false && !Object.hasOwn(properties, key)) {
      found.push(
        `${at(path)}there is no ${key}; there is ${Object.keys(properties).join(", ") || "nothing"}`,
      );
    }
  }
  return found;
}

function referenceMisfits(reference: Reference, schema: JsonSchema, typeOf: TypeOf, path: string): string[] {
  const known = typeOf(reference);
  const name = `${reference.$from}${reference.path ?? ""}`;
  if (known === "missing") return [`${at(path)}"${name}" will not be there`];
  if (known === undefined) return [];
  const given = typesOf(known);
  const wrong = given === undefined ? undefined : typeMisfit(given, schema, `"${name}"`, path);
  return wrong === undefined ? [] : [wrong];
}

function typeMisfit(
  given: ReadonlySet<string>,
  schema: JsonSchema,
  what: string,
  path: string,
): string | undefined {
  const wanted = typesOf(schema);
  if (wanted === undefined) return undefined;
  const fits = [...given].some(
    (type) =>
      wanted.has(type) ||
      (type === "integer" && wanted.has("number")) ||
      (type === "number" && wanted.has("integer")),
  );
  if (fits) return undefined;
  const is = what.startsWith('"') ? `${what} is ${[...given].join(" or ")}` : `it is ${what}`;
  return `${at(path)}expected ${[...wanted].join(" or ")}, but ${is}`;
}

/** The JSON types a schema admits, or undefined when it does not say. */
export function typesOf(schema: JsonSchema): ReadonlySet<string> | undefined {
  const { type, enum: choices, anyOf, oneOf } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type as string[]);
  if ("const" in schema) return new Set([typeOfValue(schema.const)]);
  if (Array.isArray(choices)) return new Set(choices.map(typeOfValue));
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (branches === undefined) return undefined;
  const admitted = new Set<string>();
  for (const branch of branches) {
    const types = typesOf(subschema(branch) ?? {});
    if (types === undefined) return undefined;
    for (const each of types) admitted.add(each);
  }
  return admitted;
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** What is known of a place in a value of that schema. */
export function schemaAt(schema: JsonSchema, path: string): Known {
  let current: JsonSchema = schema;
  for (const key of keysOf(path)) {
    const types = typesOf(current);
    if (types !== undefined && !types.has("object") && !types.has("array")) return "missing";
    const properties = subschema(current.properties);
    const next =
      properties !== undefined && Object.hasOwn(properties, key)
        ? subschema(properties[key])
        : /^\d+$/.test(key)
          ? subschema(current.items)
          : undefined;
    if (next === undefined) {
      const closed = properties !== undefined && current.additionalProperties === false;
      return closed && !Object.hasOwn(properties, key) ? "missing" : undefined;
    }
    current = next;
  }
  return current;
}

function subschema(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function at(path: string): string {
  return path === "" ? "" : `${path}: `;
}
