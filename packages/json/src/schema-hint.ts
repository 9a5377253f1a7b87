import { isRecord } from "./is-record.ts";

/** JSON types as bits, so that "may be one of" is one number. */
const NULL = 1;
export const BOOLEAN = 2;
export const ANY_NUMBER = 4;
export const ANY_STRING = 8;
export const ARRAY = 16;
export const OBJECT = 32;
const ANYTHING = 63;

const BITS = new Map<unknown, number>([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["number", ANY_NUMBER],
  ["integer", ANY_NUMBER],
  ["string", ANY_STRING],
  ["array", ARRAY],
  ["object", OBJECT],
]);

/** A hostile schema refers and branches without end; a hint looks at no more than this many parts of one place. */
const MAX_PARTS = 64;

type Schema = Record<string, unknown>;

/**
 * What a JSON Schema says about one place in a document, as far as it helps to decide ties. It is a hint, not a
 * validator: references outside the schema and keywords it does not know leave everything open.
 */
export class SchemaHint {
  /** The types that a value may have here, as bits. */
  readonly types: number;
  /** A number that stands here was meant as text. */
  readonly wantsText: boolean;
  private readonly root: unknown;
  private readonly parts: Schema[];
  private readonly members = new Map<string, SchemaHint | undefined>();
  private readonly positions: (SchemaHint | undefined)[] = [];
  private prefix: number | undefined;
  private items: SchemaHint | undefined | null = null;
  private unnamed: SchemaHint | undefined | null = null;
  private names: ReadonlySet<string> | undefined;
  private listed: Listing | undefined;
  private others: boolean | undefined;

  /** `schemas` all describe the same place; each of them may apply. */
  constructor(root: unknown, schemas: readonly unknown[]) {
    this.root = root;
    this.parts = [];
    for (const schema of schemas) collect(root, schema, this.parts);
    const budget = { left: MAX_PARTS };
    this.types = schemas.reduce<number>((types, schema) => types | typesOf(root, schema, budget), 0);
    this.wantsText = this.allows(ANY_STRING) && !this.allows(ANY_NUMBER);
  }

  allows(types: number): boolean {
    return (this.types & types) !== 0;
  }

  /** Only values of these types may stand here. */
  demands(types: number): boolean {
    return (this.types & ~types) === 0 && this.types !== 0;
  }

  /** What is said about a property. Undefined where nothing is: anything may stand there. */
  member(key: string): SchemaHint | undefined {
    return this.members.get(key) ?? this.findMember(key);
  }

  private findMember(key: string): SchemaHint | undefined {
    if (!this.mentioned.has(key)) {
      if (this.unnamed === null) this.unnamed = this.hintFor((part) => part.additionalProperties);
      return this.unnamed;
    }
    if (!this.members.has(key))
      this.members.set(
        key,
        this.hintFor((part) => memberSchema(part, key)),
      );
    return this.members.get(key);
  }

  /** What is said about an array's elements; those of a tuple by index. */
  item(index: number): SchemaHint | undefined {
    this.prefix ??= Math.max(0, ...this.parts.map((part) => tupleOf(part).length));
    if (index >= this.prefix) {
      if (this.items === null) this.items = this.hintFor(restOf);
      return this.items;
    }
    if (!(index in this.positions))
      this.positions[index] = this.hintFor((part) => tupleOf(part)[index] ?? restOf(part));
    return this.positions[index];
  }

  /** What is said about a place further inside. */
  at(keys: readonly (string | number)[]): SchemaHint | undefined {
    return keys.reduce<SchemaHint | undefined>(
      (hint, key) => (typeof key === "number" ? hint?.item(key) : hint?.member(key)),
      this,
    );
  }

  /** Names of the properties that the schema mentions. */
  properties(): readonly string[] {
    return [...this.mentioned];
  }

  /** The same, made once. */
  get mentioned(): ReadonlySet<string> {
    this.names ??= new Set(this.parts.flatMap((part) => Object.keys(asSchema(part.properties))));
    return this.names;
  }

  /** The properties that the schema mentions, in its order, for whoever looks through many objects. */
  get listing(): Listing {
    this.listed ??= listingOf(this);
    return this.listed;
  }

  /** Whether the schema says itself that there may be other properties than those it names. */
  get takesOthers(): boolean {
    this.others ??= this.parts.some(
      ({ additionalProperties, unevaluatedProperties, patternProperties }) =>
        patternProperties !== undefined || takes(additionalProperties) || takes(unevaluatedProperties),
    );
    return this.others;
  }

  private hintFor(select: (part: Schema) => unknown): SchemaHint | undefined {
    const schemas = this.parts.map(select).filter((schema) => isRecord(schema));
    return schemas.length === 0 ? undefined : new SchemaHint(this.root, schemas);
  }
}

/** The properties of an object side by side: the place of a name is that of what is said about it. */
interface Listing {
  names: readonly string[];
  hints: readonly (SchemaHint | undefined)[];
  places: ReadonlyMap<string, number>;
}

function listingOf(hint: SchemaHint): Listing {
  const names = hint.properties();
  const places = new Map(names.map((name, place) => [name, place]));
  return { names, hints: names.map((name) => hint.member(name)), places };
}

/** The schema says nothing of a place: anything may stand there. */
export const ANYWHERE = new SchemaHint(true, [true]);

const KNOWN = new WeakMap<object, SchemaHint>();

/** The hint for a whole document. Made once for each schema object. */
export function schemaHint(schema: unknown): SchemaHint | undefined {
  if (!isRecord(schema)) return undefined;
  let hint = KNOWN.get(schema);
  if (hint === undefined) {
    hint = new SchemaHint(schema, [schema]);
    KNOWN.set(schema, hint);
  }
  return hint;
}

function takes(others: unknown): boolean {
  return others !== undefined && others !== false;
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function memberSchema(part: Schema, key: string): unknown {
  const properties = asSchema(part.properties);
  return Object.hasOwn(properties, key) ? properties[key] : part.additionalProperties;
}

/** The elements that a tuple describes one by one: `prefixItems`, or a list of `items` in older drafts. */
function tupleOf({ prefixItems, items }: Schema): unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : asArray(items);
}

function restOf({ items, additionalItems }: Schema): unknown {
  return Array.isArray(items) ? additionalItems : items;
}

/** Every schema that speaks about the same place: the schema, what it refers to, and its branches. */
function collect(root: unknown, schema: unknown, parts: Schema[]): void {
  const waiting = [schema];
  while (waiting.length > 0 && parts.length < MAX_PARTS) {
    const next = waiting.pop();
    if (!isRecord(next) || parts.includes(next)) continue;
    parts.push(next);
    waiting.push(
      ...asArray(next.anyOf),
      ...asArray(next.oneOf),
      ...asArray(next.allOf),
      resolve(root, next.$ref),
    );
  }
}

/** The schema a local reference points to; undefined for any other reference. */
function resolve(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  let target = root;
  for (const token of reference.slice(1).split("/").slice(1)) {
    const key = decodeToken(token);
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Schema)[key];
  }
  return target;
}

function decodeToken(token: string): string {
  const plain = token.replaceAll("~1", "/").replaceAll("~0", "~");
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function typesOf(root: unknown, schema: unknown, budget: { left: number }): number {
  if (!isRecord(schema) || budget.left-- <= 0) return ANYTHING;
  let types = ownTypes(schema);
  for (const part of [resolve(root, schema.$ref), ...asArray(schema.allOf)]) {
    if (part !== undefined) types &= typesOf(root, part, budget);
  }
  for (const branches of [asArray(schema.anyOf), asArray(schema.oneOf)]) {
    if (branches.length === 0) continue;
    types &= branches.reduce<number>((union, branch) => union | typesOf(root, branch, budget), 0);
  }
  return types;
}

function ownTypes(schema: Schema): number {
  if (schema.type !== undefined) {
    const named = Array.isArray(schema.type) ? schema.type : [schema.type];
    return named.reduce<number>((types, name) => types | (BITS.get(name) ?? 0), 0) || ANYTHING;
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return schema.enum.reduce<number>((types, value) => types | typeOfValue(value), 0);
  }
  if (schema.const !== undefined) return typeOfValue(schema.const);
  return schema.properties === undefined ? ANYTHING : OBJECT;
}

/** The bit of a value's own type. */
function typeOfValue(value: unknown): number {
  if (value === null) return NULL;
  if (Array.isArray(value)) return ARRAY;
  return BITS.get(typeof value) ?? ANYTHING;
}
