import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonSchema, QuestionAnswer } from "@toolrig/core";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { addressQuestion } from "./client-question.ts";

/** What a server asks, as a question for a person. */
export interface ServerQuestion {
  message: string;
  schema: JsonSchema;
}

type Asked = ElicitRequest["params"];

const MAX_FIELDS = 50;
const MAX_MESSAGE = 4_000;
const MAX_TEXT = 500;
const MAX_URL = 2_000;
const MAX_CHOICES = 200;

/**
 * The words of a server, marked as such: whoever answers must not take them for those of this program. An address is shown
 * whole and opened by nobody but the person.
 */
export function questionOf(connection: string, asked: Asked): ServerQuestion {
  const words = cleanText(String(asked.message ?? "").slice(0, MAX_MESSAGE)).text;
  const intro = `The MCP server "${connection}" asks (its own words, not verified):`;
  if (asked.mode === "url") {
    const url = webAddress(asked.url);
    const shown = url ?? "(not a web address; do not open it)";
    const message = `${intro}\n${words}\nIt wants you to open this address yourself: ${shown}`;
    return { message, schema: url === undefined ? DONE : addressQuestion(DONE, url) };
  }
  return { message: `${intro}\n${words}`, schema: formOf(asked.requestedSchema) };
}

/** The person says that it is done; what was said at the address never passes here. */
const DONE: JsonSchema = {
  type: "object",
  properties: { done: { type: "boolean", const: true, description: "You have been there and it is done" } },
  required: ["done"],
  additionalProperties: false,
};

/** As a browser would write it, so that no letter of it is other than it looks. Undefined for what is no web address. */
function webAddress(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  return isWeb && parsed.href.length <= MAX_URL ? parsed.href : undefined;
}

type Form = Extract<Asked, { requestedSchema: unknown }>["requestedSchema"];

/** Only what a form can have is taken over from the server's schema; a pattern of its is never run. */
function formOf(form: Form): JsonSchema {
  const fields = Object.entries(form?.properties ?? {}).slice(0, MAX_FIELDS);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field)]));
  const names = new Set(fields.filter(([, field]) => defaultOf(field) === undefined).map(([name]) => name));
  const required = (form?.required ?? []).filter((name) => names.has(name));
  return { type: "object", properties, required, additionalProperties: false };
}

type Field = Record<string, unknown>;

function fieldOf(given: unknown): JsonSchema {
  const field = (given ?? {}) as Field;
  const schema: Record<string, unknown> = { ...kindOf(field) };
  for (const key of ["title", "description"])
    if (typeof field[key] === "string") schema[key] = cleanLine(field[key], MAX_TEXT);
  for (const key of ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"])
    if (typeof field[key] === "number") schema[key] = field[key];
  const value = defaultOf(field);
  if (value !== undefined) schema.default = value;
  return schema;
}

function kindOf(field: Field): JsonSchema {
  if (field.type === "array") return { type: "array", items: itemsSchema((field.items ?? {}) as Field) };
  if (field.type === "boolean" || field.type === "number" || field.type === "integer")
    return { type: field.type };
  return textSchema(field);
}

/** Titled choices of which several may be chosen are spelt otherwise than those of which one is. */
function itemsSchema(items: Field): JsonSchema {
  const { oneOf, ...plain } = textSchema(items) as { oneOf?: JsonSchema[] };
  return oneOf === undefined ? plain : { anyOf: oneOf };
}

const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

/** A text of its own, or one of several in every style of both eras: plain, titled, and titled beside. */
function textSchema({ enum: plain, enumNames, oneOf, anyOf, format }: Field): JsonSchema {
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (Array.isArray(plain)) return choicesSchema(plain.map((value, at) => [value, listed(enumNames, at)]));
  if (Array.isArray(titled))
    return choicesSchema(titled.map((each: Titled | null) => [each?.const, each?.title]));
  return FORMATS.includes(format) ? { type: "string", format: format as string } : { type: "string" };
}

interface Titled {
  const?: unknown;
  title?: unknown;
}

const listed = (titles: unknown, at: number): unknown => (Array.isArray(titles) ? titles[at] : undefined);

/** Choices that are no text are left out. A choice without a title is called by its value, where others have one. */
function choicesSchema(given: readonly (readonly [value: unknown, title: unknown])[]): JsonSchema {
  const choices = new Map<string, string | undefined>();
  for (const [value, title] of given.slice(0, MAX_CHOICES))
    if (typeof value === "string")
      choices.set(value, typeof title === "string" ? cleanLine(title, MAX_TEXT) : undefined);
  if (choices.size === 0) return { type: "string" };
  if ([...choices.values()].every((title) => title === undefined))
    return { type: "string", enum: [...choices.keys()] };
  return {
    type: "string",
    oneOf: [...choices].map(([value, title]) => ({ const: value, title: title ?? value })),
  };
}

function defaultOf(given: unknown): unknown {
  const value = (given as Field | undefined)?.default;
  if (Array.isArray(value))
    return value.every((each) => typeof each === "string") ? value.slice(0, MAX_CHOICES) : undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? value : undefined;
}

/** What the server is told. Fields that were left out get the values that it named for them. */
export function answerFor(asked: Asked, { schema }: ServerQuestion, answer: QuestionAnswer): ElicitResult {
  if (answer.status === "declined") return { action: "decline" };
  if (answer.status === "cancelled") return { action: "cancel" };
  if (asked.mode === "url") return { action: "accept" };
  const content: Record<string, unknown> = { ...(answer.value as object) };
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> };
  for (const [name, field] of Object.entries(properties))
    if (!Object.hasOwn(content, name) && field.default !== undefined) content[name] = field.default;
  return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
}
