import { canonicalJson } from "../canonical.ts";
import { isPlainObject, type JsonSchema } from "../schema/json-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Keywords that vendors refuse at the top of a tool's schema, and with the tool the whole request. */
const REFUSED = "$ref allOf anyOf oneOf not if then else enum const dependentSchemas".split(" ");
const MAX_DEPTH = 20;
const MAX_FORMS = 20;
const MAX_DESCRIPTION = 100;

/** The parts of an object that a schema describes. */
interface Shape {
  properties: Map<string, unknown>;
  required: Set<string>;
  closed: boolean;
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
  const shape = shapeOf(schema, schema, 0);
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

/** Everything that a schema and what applies in place with it say of an object. */
function shapeOf(root: Json, schema: Json, depth: number): Shape {
  const shape: Shape = {
    properties: new Map(isPlainObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: new Set(listOf(schema.required).filter((name) => typeof name === "string")),
    closed: schema.additionalProperties === false,
  };
  if (depth >= MAX_DEPTH) return shape;
  const inside = (part: unknown) => shapeOf(root, resolved(root, part), depth + 1);
  for (const part of [...listOf(schema.allOf), ...(schema.$ref === undefined ? [] : [schema])]) {
    const { properties, required } = part === schema ? inside({ $ref: schema.$ref }) : inside(part);
    add(shape, properties, "allOf");
    for (const name of required) shape.required.add(name);
  }
  const maps = isPlainObject(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : [];
  for (const part of [schema.then, schema.else, ...maps]) {
    if (part !== undefined) add(shape, inside(part).properties, "anyOf");
  }
  for (const union of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
    const branches = union
      .map((part) => resolved(root, part))
      .filter(isObject)
      .map(inside);
    if (branches.length > 0) addUnion(shape, branches);
  }
  return shape;
}

function addUnion(shape: Shape, branches: readonly Shape[]): void {
  const together: Shape = { properties: new Map(), required: new Set(), closed: false };
  for (const { properties } of branches) add(together, properties, "anyOf");
  add(shape, together.properties, "allOf");
  for (const name of branches[0]?.required ?? [])
    if (branches.every(({ required }) => required.has(name))) shape.required.add(name);
  if (branches.every(({ closed }) => closed)) shape.closed = true;
}

function add(shape: Shape, properties: ReadonlyMap<string, unknown>, as: "allOf" | "anyOf"): void {
  for (const [name, part] of properties) {
    const known = shape.properties.get(name);
    shape.properties.set(name, known === undefined ? part : joined(known, part, as));
  }
}

/** Two descriptions of one property. The tags of a union become one list of choices. */
function joined(one: unknown, other: unknown, as: "allOf" | "anyOf"): unknown {
  if (canonicalJson(one) === canonicalJson(other)) return one;
  const choices = as === "anyOf" ? [choicesOf(one), choicesOf(other)] : [];
  if (choices.length > 0 && choices.every((each) => each !== undefined))
    return { enum: [...new Set(choices.flat())] };
  const parts = (part: unknown) =>
    isPlainObject(part) && Object.keys(part).length === 1 && Array.isArray(part[as]) ? part[as] : [part];
  const known = new Map([...parts(one), ...parts(other)].map((part) => [canonicalJson(part), part]));
  return { [as]: [...known.values()] };
}

function choicesOf(part: unknown): unknown[] | undefined {
  if (!isPlainObject(part)) return undefined;
  if (part.const !== undefined) return [part.const];
  return Array.isArray(part.enum) ? part.enum : undefined;
}

/** A subschema, or what it refers to within the document. */
function resolved(root: Json, part: unknown): Json {
  if (!isPlainObject(part)) return {};
  const { $ref } = part;
  if (typeof $ref !== "string" || !$ref.startsWith("#/") || Object.keys(part).length > 1) return part;
  let found: unknown = root;
  for (const token of $ref.slice(2).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isPlainObject(found) ? found : {};
}

function isObject({ type }: Json): boolean {
  return type === undefined || type === "object" || listOf(type).includes("object");
}

/** The forms that a union at the top allows, as a person would write them: `{kind: "circle", radius, label?}`. */
function formsOf(schema: JsonSchema): string {
  const forms = [...listOf(schema.oneOf), ...listOf(schema.anyOf)].map((part) =>
    formOf(schema, resolved(schema, part)),
  );
  if (forms.length < 2) return "";
  const more = forms.length > MAX_FORMS ? `, and ${forms.length - MAX_FORMS} more` : "";
  return `The arguments take one of these forms: ${forms.slice(0, MAX_FORMS).join("; ")}${more}.`;
}

function formOf(root: Json, branch: Json): string {
  const { properties, required } = shapeOf(root, branch, 0);
  const names = new Set([...properties.keys(), ...required]);
  const parts = [...names].map((name) => {
    const [choice, other] = choicesOf(properties.get(name)) ?? [];
    const tag = choice !== undefined && other === undefined ? `: ${JSON.stringify(choice)}` : "";
    return `${name}${required.has(name) ? "" : "?"}${tag}`;
  });
  const about =
    typeof branch.description === "string" ? ` (${branch.description.slice(0, MAX_DESCRIPTION)})` : "";
  return `{${parts.join(", ")}}${about}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
