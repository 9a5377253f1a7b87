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
  const { type, properties, required, additionalProperties: _, $schema: __, title: ___, ...rest } = schema;
  const { description: ____, ...rules } = rest;
  if (type !== "object" || !isRecord(properties) || Object.keys(rules).length > 0) return undefined;
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
function fieldOf(schema: Schema): Schema | undefined {
  const { type } = schema;
  if (typeof type !== "string" || !Object.hasOwn(FIELDS, type)) return undefined;
  if (type === "array" && !isChoices(schema.items)) return undefined;
  if (schema.oneOf !== undefined && !isTitledChoices(schema.oneOf)) return undefined;
  if (schema.enum !== undefined && !isTexts(schema.enum)) return undefined;
  const known = [...SHOWN, ...(FIELDS[type] ?? [])].filter((key) => schema[key] !== undefined);
  const field: Record<string, unknown> = { type };
  for (const key of known) field[key] = schema[key];
  if (!FORMATS.includes(field.format)) delete field.format;
  return field;
}

function isChoices(items: unknown): boolean {
  if (!isRecord(items)) return false;
  return items.anyOf === undefined
    ? items.type === "string" && isTexts(items.enum)
    : isTitledChoices(items.anyOf);
}

function isTitledChoices(choices: unknown): boolean {
  return (
    Array.isArray(choices) &&
    choices.every(
      (each) => isRecord(each) && typeof each.const === "string" && typeof each.title === "string",
    )
  );
}

function isTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
