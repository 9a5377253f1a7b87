import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonSchema, QuestionAnswer } from "@toolrig/core";
import { cleanLine, cleanText } from "../defence/clean-text.ts";

/** What a server asks, as a question for a person. */
export interface ServerQuestion {
  message: string;
  schema: JsonSchema;
}

type Asked = ElicitRequest["params"];

const MAX_FIELDS = 50;
const MAX_MESSAGE = 4_000;
const MAX_TEXT = 500;

/**
 * The words of a server, marked as such: whoever answers must not take them for those of this program. An address is shown
 * whole and opened by nobody but the person.
 */
export function questionOf(connection: string, asked: Asked): ServerQuestion {
  const words = cleanText(String(asked.message ?? "").slice(0, MAX_MESSAGE)).text;
  const intro = `The MCP server "${connection}" asks (its own words, not verified):`;
  if (asked.mode === "url") {
    const message = `${intro}\n${words}\nIt wants you to open this address yourself: ${shownUrl(asked.url)}`;
    return { message, schema: DONE };
  }
  return { message: `${intro}\n${words}`, schema: formOf(asked.requestedSchema) };
}

/** The person says that it is done; what was said at the address never passes here. */
const DONE: JsonSchema = {
  type: "object",
  properties: { done: { const: true, description: "You have been there and it is done" } },
  required: ["done"],
  additionalProperties: false,
};

/** As a browser would write it, so that no letter of it is other than it looks. */
function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  return isWeb ? parsed.href.slice(0, 2_000) : "(not a web address; do not open it)";
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
  const choices = choicesOf(field);
  if (field.type === "array")
    return { type: "array", items: choicesSchema(choicesOf((field.items ?? {}) as Field)) };
  if (choices !== undefined) return choicesSchema(choices);
  if (field.type === "boolean" || field.type === "number" || field.type === "integer")
    return { type: field.type };
  return { type: "string" };
}

/** Every style of choices of both eras: plain, titled, and titled beside. */
function choicesOf({ enum: plain, oneOf, anyOf }: Field): string[] | undefined {
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  const values: unknown = Array.isArray(plain)
    ? plain
    : Array.isArray(titled)
      ? titled.map((each: { const?: unknown } | null) => each?.const)
      : undefined;
  return (values as unknown[] | undefined)?.filter((each) => typeof each === "string").slice(0, 200);
}

const choicesSchema = (choices: string[] | undefined): JsonSchema =>
  choices === undefined || choices.length === 0 ? { type: "string" } : { enum: [...new Set(choices)] };

function defaultOf(given: unknown): unknown {
  const value = (given as Field | undefined)?.default;
  if (Array.isArray(value))
    return value.every((each) => typeof each === "string") ? value.slice(0, 200) : undefined;
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
