import type { ArgumentIssue } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { isComposed } from "./closed.ts";
import { Evaluation, type Path, type Problem } from "./evaluate.ts";
import { issuesOf } from "./issues.ts";
import { type NormalSchema, type Schema, type SchemaObject, target } from "./normal.ts";
import { has } from "./scalar.ts";
import { TooComplex } from "./too-complex.ts";

/** The properties of a value that its schema does not describe. */
export interface UnknownProperties {
  /** The keys and indexes that lead to each, from the outside in. */
  readonly places: readonly (readonly (string | number)[])[];
  /** As the model reads them: the same text as for a schema that is closed. */
  readonly issues: readonly ArgumentIssue[];
}

/** Depth to which a value is looked through without allocating. */
const QUICK_DEPTH = 32;
const MAX_DEPTH = 200;
const MAX_ISSUES = 100;

/**
 * The properties of a valid value that its schema does not describe, at any depth. A property is described by `properties`,
 * `patternProperties`, `additionalProperties` or `unevaluatedProperties` of a subschema that applies to the value. An object for
 * which no subschema has `properties` may hold anything. `made` is what a schema library made of the value: where several branches
 * of a union accept an object, the library may have kept the properties of one of them only. What `shown` has at the same place
 * counts as described.
 *
 * Undefined where there is none. For a value that takes too much work to say, one issue without a place.
 */
export function unknownProperties(
  normal: NormalSchema,
  value: unknown,
  made?: unknown,
  shown?: unknown,
): UnknownProperties | undefined {
  if (isDescribed(normal.root, value)) return undefined;
  const search = new Search(normal);
  try {
    search.look([normal.root], value, made, undefined, 0);
    return search.found(shown);
  } catch (error) {
    if (error instanceof TooComplex) return { places: [], issues: [BEYOND] };
    throw error;
  }
}

const BEYOND: ArgumentIssue = {
  path: "",
  expected: "arguments within the limits",
  received: "arguments beyond them",
  message:
    "arguments: too large or too deeply nested to be compared with the parameters. Send simpler arguments.",
};

/** Returns true where every property is described, as is usual: `unknownProperties` finds none then. False proves nothing. */
export function isDescribed(schema: Schema, value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || typeof schema === "boolean") return true;
  if (depth > QUICK_DEPTH || isComposed(schema)) return false;
  if (Array.isArray(value)) return areDescribed(schema, value, depth);
  const { properties, additionalProperties } = schema;
  if (properties === undefined && additionalProperties === undefined) return true;
  for (const key in value) {
    const part = properties?.[key] ?? additionalProperties;
    if (part === undefined) return false;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object" && !isDescribed(part, inner, depth + 1)) return false;
  }
  return true;
}

function areDescribed(
  { items, prefixItems, unevaluatedItems }: SchemaObject,
  list: readonly unknown[],
  depth: number,
): boolean {
  if (prefixItems !== undefined || unevaluatedItems !== undefined) return false;
  if (items === undefined) return true;
  for (const item of list) if (!isDescribed(items, item, depth + 1)) return false;
  return true;
}

/** How sure it is that a schema describes a property: `perhaps` where one of several branches that apply does. */
type Cover = "yes" | "perhaps" | "no";

class Search {
  readonly #unknown: { keys: readonly (string | number)[]; problem: Problem }[] = [];
  readonly #evaluation: Evaluation;
  /** The objects around the one that is looked at: what a program gives may lead back into itself. */
  readonly #around: object[] = [];

  constructor(normal: NormalSchema) {
    this.#evaluation = new Evaluation(normal);
  }

  found(shown: unknown): UnknownProperties | undefined {
    const unknown = this.#unknown.filter(({ keys }) => !reaches(shown, keys));
    if (unknown.length === 0) return undefined;
    const problems = unknown.slice(0, MAX_ISSUES).map(({ problem }) => problem);
    return {
      places: unknown.map(({ keys }) => keys),
      issues: issuesOf(this.#evaluation.normal, problems),
    };
  }

  /** `schemas` all apply to the value. */
  look(
    schemas: readonly Schema[],
    value: unknown,
    made: unknown,
    path: Path | undefined,
    depth: number,
  ): void {
    if (typeof value !== "object" || value === null || this.#around.includes(value)) return;
    if (depth > MAX_DEPTH) throw new TooComplex("too deeply nested");
    const parts = schemas.flatMap((schema) => [...this.#applied(schema, value)]);
    if (parts.length === 0) return;
    this.#around.push(value);
    if (Array.isArray(value)) this.#lookAtItems(parts, value, made, path, depth);
    else if (isRecord(value)) this.#lookAtProperties(schemas, parts, value, made, path, depth);
    this.#around.pop();
  }

  #lookAtItems(
    parts: readonly SchemaObject[],
    list: readonly unknown[],
    made: unknown,
    path: Path | undefined,
    depth: number,
  ): void {
    for (const [index, item] of list.entries()) {
      this.#evaluation.spend(1);
      const named = parts.flatMap(({ prefixItems, items }) => prefixItems?.[index] ?? items ?? []);
      // Items that `contains` matches are evaluated by it.
      const rest = ({ unevaluatedItems, contains }: SchemaObject) =>
        contains === undefined ? (unevaluatedItems ?? []) : [];
      const inner = named.length > 0 ? named : parts.flatMap(rest);
      const madeItem: unknown = Array.isArray(made) ? made[index] : undefined;
      this.look(inner, item, madeItem, { parent: path, key: index }, depth + 1);
    }
  }

  #lookAtProperties(
    schemas: readonly Schema[],
    parts: readonly SchemaObject[],
    value: Record<string, unknown>,
    made: unknown,
    path: Path | undefined,
    depth: number,
  ): void {
    const isNamed = parts.some(({ properties }) => properties !== undefined);
    const named = namedBy(parts);
    for (const key of Object.keys(value)) {
      this.#evaluation.spend(parts.length);
      if (value[key] === undefined) continue;
      if (isNamed && this.#isUnknown(schemas, key, value, made)) {
        this.#add(named, key, value, path);
        continue;
      }
      const inner = parts.flatMap((part) => this.#evaluation.childrenOf(part)?.(key) ?? []);
      const madeInner = isRecord(made) && Object.hasOwn(made, key) ? made[key] : undefined;
      this.look(inner, value[key], madeInner, { parent: path, key }, depth + 1);
    }
  }

  #isUnknown(schemas: readonly Schema[], key: string, value: object, made: unknown): boolean {
    const cover = surest(schemas.map((schema) => this.#cover(schema, key, value)));
    if (cover !== "perhaps") return cover === "no";
    return isRecord(made) && !Object.hasOwn(made, key);
  }

  #cover(schema: Schema, key: string, value: object): Cover {
    if (typeof schema === "boolean") return "no";
    this.#evaluation.spend(1);
    const { unevaluatedProperties: rest } = schema;
    if (
      (rest !== undefined && rest !== false) ||
      (this.#evaluation.childrenOf(schema)?.(key).length ?? 0) > 0
    )
      return "yes";
    const covers = this.#certain(schema, value).map((part) => this.#cover(part, key, value));
    for (const union of [schema.anyOf, schema.oneOf]) {
      if (union === undefined) continue;
      const branches = this.#branches(union, value).map((part) => this.#cover(part, key, value));
      const all = branches.every((cover) => cover === "yes");
      covers.push(all ? "yes" : branches.every((cover) => cover === "no") ? "no" : "perhaps");
    }
    return surest(covers);
  }

  /** The schema and every subschema that applies to the same value. */
  *#applied(schema: Schema, value: object): Generator<SchemaObject> {
    if (typeof schema === "boolean") return;
    this.#evaluation.spend(1);
    yield schema;
    const unions = [schema.anyOf, schema.oneOf].flatMap((union) => this.#branches(union ?? [], value));
    for (const part of [...this.#certain(schema, value), ...unions]) yield* this.#applied(part, value);
  }

  /** Subschemas that apply in place whichever branch of a union does. */
  #certain(schema: SchemaObject, value: object): Schema[] {
    const parts = [...(schema.allOf ?? [])];
    if (schema.$ref !== undefined) parts.push(target(this.#evaluation.normal, schema.$ref));
    if (schema.if !== undefined) {
      const holds = this.#evaluation.isValid(schema.if, value);
      if (holds) parts.push(schema.if);
      parts.push((holds ? schema.then : schema.else) ?? true);
    }
    for (const [name, part] of Object.entries(schema.dependentSchemas ?? {}))
      if (has(value, name)) parts.push(part);
    return parts;
  }

  /** The branches that accept the value. All of them where none does: a library may accept what its JSON Schema refuses. */
  #branches(union: readonly Schema[], value: object): readonly Schema[] {
    const accepting = union.filter((part) => this.#evaluation.isValid(part, value));
    return accepting.length > 0 ? accepting : union;
  }

  #add(known: () => Record<string, Schema>, key: string, value: object, path: Path | undefined): void {
    const schema = { properties: known() };
    const problem: Problem = { keyword: "additionalProperties", schema, value, path, property: key };
    this.#unknown.push({ keys: keysOf({ parent: path, key }), problem });
  }
}

/** The properties that the parts name, put together once. */
function namedBy(parts: readonly SchemaObject[]): () => Record<string, Schema> {
  let all: Record<string, Schema> | undefined;
  return () => {
    all ??= Object.assign(
      Object.create(null) as Record<string, Schema>,
      ...parts.map(({ properties }) => properties),
    );
    return all as Record<string, Schema>;
  };
}

function surest(covers: readonly Cover[]): Cover {
  if (covers.includes("yes")) return "yes";
  return covers.includes("perhaps") ? "perhaps" : "no";
}

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) keys.unshift(at.key);
  return keys;
}

function reaches(value: unknown, keys: readonly (string | number)[]): boolean {
  let at = value;
  for (const key of keys) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}

/** Properties to leave out, by their keys from the outside in. */
type Cuts = Map<string | number, Cuts>;

/** A copy of a value without the properties at these places. Parts that are no plain data stay as they are. */
export function withoutProperties(value: unknown, places: UnknownProperties["places"]): unknown {
  const root: Cuts = new Map();
  for (const keys of places) {
    let cuts = root;
    for (const key of keys) {
      const inner: Cuts = cuts.get(key) ?? new Map();
      cuts.set(key, inner);
      cuts = inner;
    }
  }
  return without(value, root);
}

function without(value: unknown, cuts: Cuts): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => {
      const inner = cuts.get(index);
      return inner === undefined ? item : without(item, inner);
    });
  if (!isRecord(value) || !isData(value)) return value;
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = cuts.get(key);
    if (inner?.size === 0) continue;
    const part = inner === undefined ? value[key] : without(value[key], inner);
    Object.defineProperty(rest, key, { value: part, enumerable: true, configurable: true, writable: true });
  }
  return rest;
}

function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
