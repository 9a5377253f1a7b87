import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { JsonSchema } from "@toolrig/core";
import { isRecord } from "@toolrig/core/kit";

export type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

/** A question as a form that any client can show, and how what was filled in becomes the answer. */
export interface Form {
  requestedSchema: RequestedSchema;
  /** Throws what the person is told when the content cannot be the answer. */
  answerOf(content: Readonly<Record<string, unknown>>): unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * A form has fields of text, numbers, choices and flags, and nothing within them. A question for one such value has one field;
 * one that a form cannot hold is answered with JSON.
 */
export function toMcpForm(schema: JsonSchema): Form {
  const asked = schema as Schema;
  const fields = fieldsOf(asked);
  if (fields !== undefined) return { requestedSchema: fields, answerOf: (content) => content };
  const field = fieldOf(asked);
  if (field !== undefined)
    return { requestedSchema: oneField(field), answerOf: (content) => content[ANSWER] };
  const description = `JSON that matches ${JSON.stringify(asked)}`.slice(0, MAX_HINT);
  return {
    requestedSchema: oneField({ type: "string", description }),
    answerOf: (content) => JSON.parse(String(content[ANSWER])) as unknown,
  };
}

const ANSWER = "answer";
const MAX_HINT = 2_000;

function oneField(field: Schema): RequestedSchema {
  return {
    type: "object",
    properties: { [ANSWER]: field },
    required: [ANSWER],
  } as unknown as RequestedSchema;
}

function fieldsOf(schema: Schema): RequestedSchema | undefined {
  const { type, properties, required } = schema;
  if (type !== "object" || !isRecord(properties)) return undefined;
  if (Object.keys(schema).some((key) => !OF_FORM.has(key) && !key.startsWith("x-"))) return undefined;
  const fields: Record<string, Schema> = {};
  for (const [name, property] of Object.entries(properties)) {
    const field = isRecord(property) ? fieldOf(property) : undefined;
    if (field === undefined) return undefined;
    fields[name] = field;
  }
  return {
    type: "object",
    properties: fields,
    ...(Array.isArray(required) && { required }),
  } as unknown as RequestedSchema;
}

/** Keywords of an object that leave it a form; those of others ("x-...") say nothing of its values. */
const OF_FORM: ReadonlySet<string> = new Set([
  "$comment",
  "$schema",
  "additionalProperties",
  "description",
  "properties",
  "required",
  "title",
  "type",
]);

const SHOWN = ["title", "description", "default"];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "format", "enum", "enumNames", "oneOf"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems", "items"],
};
const FORMATS: readonly unknown[] = [undefined, "email", "uri", "date", "date-time"];

/** A schema that a form has a field for. Rules that a form does not know are checked when the answer has come. */
function fieldOf(given: Schema): Schema | undefined {
  const schema = typed(given);
  const { type } = schema;
  if (typeof type !== "string" || !Object.hasOwn(FIELDS, type)) return undefined;
  const items = type === "array" && isRecord(schema.items) ? choicesOf(typed(schema.items)) : undefined;
  if (type === "array" && items === undefined) return undefined;
  if (schema.oneOf !== undefined && !isTitledChoices(schema.oneOf)) return undefined;
  const known = [...SHOWN, ...(FIELDS[type] ?? [])].filter((key) => schema[key] !== undefined);
  const field: Record<string, unknown> = { type };
  for (const key of known) field[key] = schema[key];
  if (items !== undefined) field.items = items;
  if (!FORMATS.includes(field.format)) delete field.format;
  return field;
}

/**
 * A schema that lists its values, with the type of these: a form goes by the type. Text has choices in a form; of flags and numbers the
 * values are told in the description, and checked when the answer has come.
 */
function typed(schema: Schema): Schema {
  const { const: only, enum: listed, oneOf } = schema;
  const values =
    only !== undefined ? [only] : (listed ?? (isTitledChoices(oneOf) ? constsOf(oneOf) : undefined));
  if (!Array.isArray(values) || values.length === 0) return schema;
  const [type, ...others] = new Set(values.map(typeOfValue));
  if (type === undefined || others.length > 0) return schema;
  if (type === "string") return { ...schema, type, ...(oneOf === undefined && { enum: values }) };
  const { enum: _, description = `One of ${values.join(", ")}`, ...rest } = schema;
  return { type, ...rest, description };
}

function typeOfValue(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return "integer";
  return ["string", "number", "boolean"].includes(typeof value) ? typeof value : undefined;
}

/** What a list may be chosen from, as a form spells it. Undefined when it is no list of choices. */
function choicesOf({ type, enum: values, oneOf, anyOf }: Schema): Schema | undefined {
  if (Array.isArray(values) && type === "string") return { type, enum: values };
  const titled = anyOf ?? oneOf;
  return isTitledChoices(titled) ? { anyOf: titled } : undefined;
}

interface Choice {
  const: string;
  title: string;
}

function isTitledChoices(choices: unknown): choices is readonly Choice[] {
  return (
    Array.isArray(choices) &&
    choices.every(
      (each) => isRecord(each) && typeof each.const === "string" && typeof each.title === "string",
    )
  );
}

function constsOf(choices: readonly Choice[]): readonly string[] {
  return choices.map(({ const: value }) => value);
}
