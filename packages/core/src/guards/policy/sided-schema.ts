import { formatType } from "../../schema/formats.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { NormalSchema, Schema, SchemaObject, TypeName } from "../../schema/normal.ts";

/**
 * JSON Schema says nothing of a property that is not there, nor of a value of another type than a keyword is about: it lets
 * both pass. A permission reads that as no, a prohibition as yes. What stands under `not` is read by the other side.
 */
export type Side = "permission" | "prohibition";

export const OTHER = { permission: "prohibition", prohibition: "permission" } as const satisfies Record<
  Side,
  Side
>;

/** What a keyword is about. A format is about what its kind says. */
const ABOUT: Partial<Record<keyof SchemaObject, TypeName>> = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  prefixItems: "array",
  items: "array",
  contains: "array",
  unevaluatedItems: "array",
  properties: "object",
  patternProperties: "object",
  additionalProperties: "object",
  propertyNames: "object",
  required: "object",
  minProperties: "object",
  maxProperties: "object",
  dependentRequired: "object",
  dependentSchemas: "object",
  unevaluatedProperties: "object",
};

const SINGLE = [
  "items",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const LISTS = ["allOf", "anyOf", "prefixItems"] as const;
const MAPS = ["properties", "patternProperties", "dependentSchemas"] as const;

export interface SidedSchema {
  /** What the schema means to the side; absent where that is what it says. */
  readonly sided: JsonSchema | undefined;
  /** Whether `sided` alone decides. Otherwise the schema as it was written has a say, too. */
  readonly isCertain: boolean;
}

/** Reads a condition as one side does. */
export function readCondition(normal: NormalSchema, side: Side): SidedSchema {
  const reading = new Reading(normal);
  const sided = reading.schema(side);
  const { differs, isCertain } = reading;
  return differs ? { sided, isCertain } : { sided: undefined, isCertain };
}

class Reading {
  /** Whether anything means something else to the side than what it says. */
  differs = false;
  /** Not where a part is read by both sides, or counts on what others have looked at. */
  isCertain = true;
  readonly #normal: NormalSchema;
  readonly #made: Record<Side, Map<SchemaObject, SchemaObject>> = {
    permission: new Map(),
    prohibition: new Map(),
  };
  readonly #definitions = new Map<string, Schema>();

  constructor(normal: NormalSchema) {
    this.#normal = normal;
  }

  schema(side: Side): JsonSchema {
    const root = this.#read(this.#normal.root, side);
    return { allOf: [root], $defs: Object.fromEntries(this.#definitions) };
  }

  #read(schema: Schema, side: Side): Schema {
    if (typeof schema === "boolean") return schema;
    const known = this.#made[side].get(schema);
    if (known !== undefined) return known;
    const into: SchemaObject = {};
    this.#made[side].set(schema, into);
    const {
      $ref,
      not,
      if: _if,
      then: _then,
      else: _else,
      oneOf: _oneOf,
      maxContains: _most,
      ...same
    } = schema;
    Object.assign(into, same);
    const own = (part: Schema) => this.#read(part, side);
    for (const keyword of SINGLE) if (same[keyword] !== undefined) into[keyword] = own(same[keyword]);
    for (const keyword of LISTS) if (same[keyword] !== undefined) into[keyword] = same[keyword].map(own);
    for (const keyword of MAPS)
      if (same[keyword] !== undefined)
        into[keyword] = Object.fromEntries(
          Object.entries(same[keyword]).map(([name, part]) => [name, own(part)]),
        );
    if (same.contains !== undefined) into.contains = own(same.contains);
    if (same.unevaluatedItems !== undefined || same.unevaluatedProperties !== undefined)
      this.isCertain = false;
    if ($ref !== undefined) into.$ref = this.#reference($ref, side);
    if (not !== undefined) into.not = this.#read(not, OTHER[side]);
    const also = [
      ...this.#choices(schema, side),
      ...(side === "permission" ? this.#demand(schema, into) : []),
    ];
    if (also.length > 0) into.allOf = [...(into.allOf ?? []), ...also];
    return into;
  }

  #reference($ref: string, side: Side): string {
    const name = `${side}${$ref === "#" ? "" : $ref.slice("#/$defs/".length)}`;
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, true);
      const found =
        $ref === "#" ? this.#normal.root : this.#normal.definitions[Number(name.slice(side.length))];
      this.#definitions.set(name, this.#read(found ?? true, side));
    }
    return `#/$defs/${name}`;
  }

  /** What holds or not by another part that does: read by both sides, each time by the one that is on the safe side. */
  *#choices(schema: SchemaObject, side: Side): Generator<SchemaObject> {
    const own = (part: Schema = true) => this.#read(part, side);
    const other = (part: Schema) => this.#read(part, OTHER[side]);
    const { if: condition, oneOf, contains, maxContains } = schema;
    if (condition === undefined && oneOf === undefined && maxContains === undefined) return;
    this.differs = true;
    this.isCertain = false;
    if (condition !== undefined) {
      yield { anyOf: [{ not: other(condition) }, own(schema.then)] };
      yield { anyOf: [own(condition), own(schema.else)] };
    }
    if (oneOf !== undefined) {
      yield { anyOf: oneOf.map((part) => own(part)) };
      if (side === "permission") yield { oneOf: oneOf.map(other) };
    }
    if (contains !== undefined && maxContains !== undefined)
      yield { contains: other(contains), minContains: 0, maxContains };
  }

  /**
   * What is spoken of must be there, and of a type that is spoken of. A `required`, or a `minItems`, of its own says what may
   * be left out.
   */
  *#demand(schema: SchemaObject, into: SchemaObject): Generator<SchemaObject> {
    if (schema.type === undefined && schema.enum === undefined) {
      const types = typesOf(schema);
      if (types.length > 0) {
        into.type = types;
        this.differs = true;
      }
    }
    if (schema.prefixItems !== undefined && schema.minItems === undefined) {
      into.minItems = schema.prefixItems.length;
      this.differs = true;
    }
    if (schema.required !== undefined) return;
    const { properties, dependentSchemas, dependentRequired } = schema;
    const named = [...new Set([properties, dependentSchemas, dependentRequired].flatMap(keysOf))];
    const patterns = Object.keys(schema.patternProperties ?? {});
    if (named.length + patterns.length > 0) this.differs = true;
    if (named.length > 0) into.required = named;
    for (const pattern of patterns) yield { not: { propertyNames: { not: { pattern } } } };
  }
}

function typesOf(schema: SchemaObject): TypeName[] {
  const types = new Set<TypeName>();
  for (const keyword of Object.keys(schema) as (keyof SchemaObject)[]) {
    const type = ABOUT[keyword];
    if (type !== undefined) types.add(type);
  }
  if (schema.format !== undefined) types.add(formatType(schema.format));
  return [...types];
}

function keysOf(members: object | undefined): string[] {
  return Object.keys(members ?? {});
}
