import { canonicalJson } from "../canonical.ts";
import { isRecord } from "../is-record.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Keywords that vendors refuse at the top of a tool's schema, and with the tool the whole request. */
const REFUSED = "$ref allOf anyOf oneOf not if then else enum const dependentSchemas".split(" ");
const MAX_SUBSCHEMAS = 300;
const MAX_FORMS = 20;
const MAX_DESCRIPTION = 100;

/** The parts of an object that a schema describes. */
interface Shape {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** Nothing else is allowed. */
  closed: boolean;
  union?: boolean;
}

/** A schema as vendors take it, and what has to be said in words because of that. */
export interface VendorSchema {
  schema: JsonSchema;
  note: string;
}

/**
 * A schema of arguments as one object, which is all that vendors take: of a union at the top, every property of every
 * branch, and as required only what all of them require. Takes all that the schema itself takes; arguments are validated
 * against that. What the branches are is said in words.
 */
export function vendorSchema(schema: JsonSchema): VendorSchema {
  if (schema.type === "object" && !REFUSED.some((keyword) => schema[keyword] !== undefined))
    return { schema, note: "" };
  const shape = new Shapes(schema).of(schema);
  const rest = Object.entries(schema).filter(([keyword]) => !REFUSED.includes(keyword));
  return {
    schema: {
      ...Object.fromEntries(rest),
      type: "object",
      properties: Object.fromEntries(shape.properties),
      ...(shape.required.size > 0 ? { required: [...shape.required] } : {}),
      ...(shape.closed && { additionalProperties: false }),
    },
    note: formsOf(schema),
  };
}

const ANYTHING: Shape = { properties: new Map(), required: new Set(), closed: false };

/** Reads the shapes of one document: no more subschemas than a schema has that somebody wrote. */
class Shapes {
  readonly #root: Json;
  #left = MAX_SUBSCHEMAS;

  constructor(root: Json) {
    this.#root = root;
  }

  /** Everything that a schema and what applies in place with it say of an object. */
  of(schema: Json): Shape {
    const own: Shape = {
      properties: new Map(isRecord(schema.properties) ? Object.entries(schema.properties) : []),
      required: new Set(listOf(schema.required).filter((name) => typeof name === "string")),
      closed: schema.additionalProperties === false,
    };
    const { $ref } = schema;
    const all = [own, ...this.#each([...listOf(schema.allOf), ...($ref === undefined ? [] : [{ $ref }])])];
    for (const union of [schema.anyOf, schema.oneOf]) {
      const branches = this.#each(listOf(union));
      if (branches.length > 0) all.push(either(branches));
    }
    const { dependentSchemas: dependent } = schema;
    const sometimes = [schema.then, schema.else, ...(isRecord(dependent) ? Object.values(dependent) : [])];
    const more = either(this.#each(sometimes.filter((part) => part !== undefined)));
    const shape = both(all);
    for (const [name, part] of more.properties)
      if (!shape.properties.has(name)) shape.properties.set(name, part);
    return {
      ...shape,
      closed: own.closed || all.slice(1).some(({ closed, union }) => closed && union === true),
    };
  }

  /** A subschema, or what it refers to within the document. */
  resolve(part: unknown): Json {
    if (!isRecord(part)) return {};
    const { $ref } = part;
    if (typeof $ref !== "string" || !$ref.startsWith("#/") || Object.keys(part).length > 1) return part;
    let found: unknown = this.#root;
    for (const token of $ref.slice(2).split("/")) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    return isRecord(found) ? found : {};
  }

  #each(parts: readonly unknown[]): Shape[] {
    const shapes: Shape[] = [];
    for (const part of parts) {
      const schema = this.resolve(part);
      if (!allowsObject(schema)) continue;
      this.#left -= 1;
      shapes.push(this.#left < 0 ? ANYTHING : this.of(schema));
    }
    return shapes;
  }
}

/** What holds where one of several shapes does. */
function either(shapes: readonly Shape[]): Shape {
  return {
    properties: joined(shapes, (parts) => {
      const choices = parts.map(choicesOf);
      return choices.every((each) => each !== undefined)
        ? { enum: [...new Set(choices.flat())] }
        : { anyOf: parts };
    }),
    required: new Set(
      [...(shapes[0]?.required ?? [])].filter((name) => shapes.every((each) => each.required.has(name))),
    ),
    closed: shapes.every(({ closed }) => closed),
    union: true,
  };
}

/** What holds where all of several shapes do. */
function both(shapes: readonly Shape[]): Shape {
  return {
    properties: joined(shapes, (parts) => ({ allOf: parts })),
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    closed: false,
  };
}

/** The properties of several shapes; where they differ on one, what `join` makes of that. */
function joined(shapes: readonly Shape[], join: (parts: unknown[]) => unknown): Map<string, unknown> {
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of shapes) {
    for (const [name, part] of properties) {
      const parts = found.get(name) ?? new Map<string, unknown>();
      found.set(name, parts.set(canonicalJson(part), part));
    }
  }
  return new Map(
    [...found].map(([name, parts]) => {
      const [first] = parts.values();
      return [name, parts.size === 1 ? first : join([...parts.values()])];
    }),
  );
}

function choicesOf(part: unknown): unknown[] | undefined {
  if (!isRecord(part)) return undefined;
  if (part.const !== undefined) return [part.const];
  return Array.isArray(part.enum) ? part.enum : undefined;
}

function allowsObject({ type }: Json): boolean {
  return type === undefined || type === "object" || listOf(type).includes("object");
}

/** The forms that a union at the top allows, as a person would write them: `{kind: "circle", radius, label?}`. */
function formsOf(schema: JsonSchema): string {
  const shapes = new Shapes(schema);
  const branches = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  if (branches.length < 2) return "";
  const forms = branches.slice(0, MAX_FORMS).map((part) => {
    const branch = shapes.resolve(part);
    return formOf(shapes.of(branch), branch.description);
  });
  const more = branches.length > MAX_FORMS ? `, and ${branches.length - MAX_FORMS} more` : "";
  return `The arguments take one of these forms: ${forms.join("; ")}${more}.`;
}

function formOf({ properties, required }: Shape, description: unknown): string {
  const names = new Set([...properties.keys(), ...required]);
  const parts = [...names].map((name) => {
    const [choice, other] = choicesOf(properties.get(name)) ?? [];
    const tag = choice !== undefined && other === undefined ? `: ${JSON.stringify(choice)}` : "";
    return `${name}${required.has(name) ? "" : "?"}${tag}`;
  });
  const about = typeof description === "string" ? ` (${description.slice(0, MAX_DESCRIPTION)})` : "";
  return `{${parts.join(", ")}}${about}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
