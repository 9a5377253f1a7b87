import { isRecord } from "../is-record.ts";
import type { JsonSchema } from "./json-schema.ts";
import { copyLimits, copyStrings, copyValues } from "./keywords.ts";
import type { NormalSchema, Schema, SchemaObject } from "./normal.ts";
import { grow, invalid, malformed, type Reading } from "./reading.ts";
import { indexReferences, REFERENCES, type ReferenceKeyword } from "./reference.ts";
import type { Resource } from "./resource.ts";

const MAX_DEPTH = 100;

const SINGLE = [
  "contains",
  "unevaluatedItems",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
] as const;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const MAPS = ["properties", "patternProperties", "dependentSchemas"] as const;

interface Unresolved {
  keyword: ReferenceKeyword;
  ref: unknown;
  into: SchemaObject;
  at: string;
  resource: Resource;
}

type Sub = (part: unknown, keyword: string) => Schema;
type Raw = Record<string, unknown>;

/**
 * Brings a JSON Schema into normal form, in time linear in its size. Throws `SCHEMA_INVALID`, saying where and why,
 * for a reference that does not resolve inside the schema, a pattern that must not run, and nesting or size beyond
 * the limits. A keyword with a malformed value is refused in a trusted schema, where it is a typing mistake, and
 * ignored in an untrusted one, as its own server evidently does.
 */
export function normalise(schema: JsonSchema, trusted: boolean): NormalSchema {
  const references = indexReferences(schema);
  const made = new Map<Raw, Schema>();
  const names = new Map<Schema, string>();
  const definitions: Schema[] = [];
  const unresolved: Unresolved[] = [];
  const reading: Reading = { trusted, references: false, patterns: new Map(), size: 0, uncompilable: false };

  function read(raw: unknown, at: string, outer: Resource, depth: number): Schema {
    grow(reading, 1, at);
    if (typeof raw === "boolean") return raw;
    if (!isRecord(raw)) return malformed(reading, at, "a schema (an object or a boolean)", raw) ?? true;
    const known = made.get(raw);
    if (known !== undefined) {
      reading.references = true;
      return known;
    }
    if (depth > MAX_DEPTH) throw invalid(at, `is nested deeper than ${MAX_DEPTH} levels`);
    const resource = references.enter(raw, outer);
    const schema: SchemaObject = {};
    made.set(raw, schema);
    const into = orNull(raw, schema);
    copyValues(reading, raw, into, at);
    copyLimits(reading, raw, into, at);
    copyStrings(reading, raw, into, at);
    const sub: Sub = (part, keyword) => read(part, `${at}/${keyword}`, resource, depth + 1);
    copySubschemas(reading, raw, into, at, sub);
    copyItems(reading, raw, into, at, sub);
    copyDependencies(reading, raw, into, at, sub);
    for (const keyword of REFERENCES) {
      if (raw[keyword] !== undefined) unresolved.push({ keyword, ref: raw[keyword], into, at, resource });
    }
    return schema;
  }

  function nameOf(schema: Schema): string {
    let name = names.get(schema);
    if (name === undefined) {
      name = `#/$defs/${definitions.push(schema) - 1}`;
      if (typeof schema !== "boolean") names.set(schema, name);
    }
    return name;
  }

  const root = read(schema, "#", references.root, 0);
  names.set(root, "#");
  for (let next = unresolved.pop(); next !== undefined; next = unresolved.pop()) {
    const { keyword, ref, into, at, resource } = next;
    reading.references = true;
    const found = references.resolve(keyword, ref, resource, `${at}/${keyword}`);
    const $ref = nameOf(read(found.schema, found.at, found.resource, 0));
    if (into.$ref === undefined) into.$ref = $ref;
    else into.allOf = [...(into.allOf ?? []), { $ref }];
  }
  return { root, definitions, ...reading };
}

/** Where the keywords of `raw` go: `nullable` beside anything but a type means "that, or null". */
function orNull(raw: Raw, schema: SchemaObject): SchemaObject {
  if (raw.nullable !== true || raw.type !== undefined) return schema;
  const composed = ["$ref", "allOf", "anyOf", "oneOf", "enum", "const"].some(
    (keyword) => raw[keyword] !== undefined,
  );
  if (!composed) return schema;
  const inner: SchemaObject = {};
  schema.anyOf = [inner, { type: ["null"] }];
  return inner;
}

function copySubschemas(reading: Reading, raw: Raw, into: SchemaObject, at: string, sub: Sub): void {
  for (const keyword of SINGLE) {
    if (raw[keyword] === undefined) continue;
    into[keyword] = sub(raw[keyword], keyword);
    if (keyword === "contains" || keyword.startsWith("unevaluated")) reading.uncompilable = true;
  }
  if (into.if === undefined) {
    delete into.then;
    delete into.else;
  }
  for (const keyword of LISTS) {
    const value = raw[keyword];
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length > 0)
      into[keyword] = value.map((part, i) => sub(part, `${keyword}/${i}`));
    else malformed(reading, `${at}/${keyword}`, "a list of at least one schema", value);
  }
  for (const keyword of MAPS) {
    const value = raw[keyword];
    if (value === undefined) continue;
    if (isRecord(value)) into[keyword] = mapOf(reading, value, keyword, sub);
    else malformed(reading, `${at}/${keyword}`, "an object of schemas", value);
  }
}

function mapOf(reading: Reading, value: Raw, keyword: string, sub: Sub): Record<string, Schema> {
  const map: Record<string, Schema> = Object.create(null) as Record<string, Schema>;
  for (const [name, part] of Object.entries(value)) {
    if (name in Object.prototype) reading.uncompilable = true;
    map[name] = sub(part, `${keyword}/${pointerToken(name)}`);
  }
  return map;
}

/** Draft-07 tuples are `items: [...]` with `additionalItems`; in 2020-12 they are `prefixItems` with `items`. */
function copyItems(reading: Reading, raw: Raw, into: SchemaObject, at: string, sub: Sub): void {
  const tuple = Array.isArray(raw.items) ? "items" : "prefixItems";
  const first = raw[tuple];
  if (Array.isArray(first)) {
    if (first.length > 0) into.prefixItems = first.map((part, i) => sub(part, `${tuple}/${i}`));
  } else if (first !== undefined) malformed(reading, `${at}/prefixItems`, "a list of schemas", first);
  const rest = tuple === "items" ? "additionalItems" : "items";
  if (raw[rest] !== undefined) into.items = sub(raw[rest], rest);
  if (into.uniqueItems === true && ![into.items, ...(into.prefixItems ?? [])].every(isScalar))
    reading.uncompilable = true;
}

function isScalar(items: Schema | undefined): boolean {
  if (typeof items !== "object" || items.type === undefined) return false;
  return !items.type.includes("object") && !items.type.includes("array");
}

/** Draft-07 `dependencies` is `dependentRequired` and `dependentSchemas` in one. */
function copyDependencies(reading: Reading, raw: Raw, into: SchemaObject, at: string, sub: Sub): void {
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const value = raw[keyword];
    if (value === undefined) continue;
    if (!isRecord(value)) {
      malformed(reading, `${at}/${keyword}`, "an object", value);
      continue;
    }
    for (const [name, part] of Object.entries(value)) {
      if (name in Object.prototype) reading.uncompilable = true;
      if (Array.isArray(part)) {
        into.dependentRequired ??= Object.create(null) as Record<string, string[]>;
        into.dependentRequired[name] = part.filter((each) => typeof each === "string");
        grow(reading, part.length, at);
      } else if (keyword === "dependencies") {
        into.dependentSchemas ??= Object.create(null) as Record<string, Schema>;
        into.dependentSchemas[name] = sub(part, `${keyword}/${pointerToken(name)}`);
      } else malformed(reading, `${at}/${keyword}/${pointerToken(name)}`, "a list of property names", part);
    }
  }
}

function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
