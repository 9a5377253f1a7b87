import { failure, type Principal, type ProgressUpdate, ToolFailure, ToolrigError } from "@toolrig/core";
import { defined, parseStrict } from "@toolrig/core/kit";

/** What comes for calls that wait, as it travels. Everything that arrives is checked here before anything acts on it. */

export interface Completing {
  execution: string;
  token: string;
  /** As its tool would have returned it. */
  given?: unknown;
  /** How far it is, in the place of a result. */
  update?: ProgressUpdate;
}

export interface Answering {
  /** The id of the wait. */
  question: string;
  by: Principal;
  value?: unknown;
  declined?: boolean;
  reason?: string;
}

const MAX_ID = 600;
const COMPLETING = ["execution", "token", "value", "failure", "update"];
const ANSWERING = ["question", "by", "value", "declined", "reason"];

export function encodeCompleting(execution: string, token: string, given: unknown): string {
  const came = ToolFailure.isInstance(given) ? { failure: given.failure } : { value: given };
  return JSON.stringify({ execution, token, ...came });
}

/** Throws `COMPLETION_REFUSED` for what is none. */
export function readCompleting(text: string): Completing {
  const value = read(text, COMPLETING);
  const execution = idIn(value, "execution");
  const token = idIn(value, "token");
  if ("update" in value) return { execution, token, update: updateOf(value) };
  if (!("failure" in value)) return { execution, token, given: value.value };
  if ("value" in value) throw refused("it has both a value and a failure");
  const { failure: said } = value as { failure: { message?: unknown } | null };
  if (typeof said !== "object" || typeof said?.message !== "string")
    throw refused('its failure must be an object with a "message"');
  return { execution, token, given: failure(said as { message: string }) };
}

/** Throws `COMPLETION_REFUSED` for what is none. */
export function readAnswering(text: string): Answering {
  const value = read(text, ANSWERING);
  const question = idIn(value, "question");
  const { by, declined, reason } = value as { by?: Principal | null; declined?: unknown; reason?: unknown };
  if (typeof by !== "object" || typeof by?.id !== "string")
    throw refused('"by" must be an object with an "id"');
  if (declined !== undefined && typeof declined !== "boolean")
    throw refused('"declined" must be true or false');
  if (reason !== undefined && typeof reason !== "string") throw refused('"reason" must be a text');
  return {
    question,
    by,
    ...("value" in value && { value: value.value }),
    ...defined({ declined, reason }),
  };
}

function updateOf({ update, ...rest }: Record<string, unknown>): ProgressUpdate {
  if ("value" in rest || "failure" in rest) throw refused("it has both an update and a result");
  if (typeof update === "string") return { content: update };
  if (typeof update === "object" && update !== null && !Array.isArray(update)) return update;
  throw refused('"update" must be a text or an object such as { "content", "details" }');
}

function read(text: string, fields: readonly string[]): Record<string, unknown> {
  const parsed = parseStrict(text, { subject: "it" });
  if (!parsed.ok) throw refused(parsed.message);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused("the message is not an object");
  const unknown = Object.keys(value).find((each) => !fields.includes(each));
  if (unknown !== undefined)
    throw refused(`it has no field "${unknown.slice(0, 50)}"; its fields are ${fields.join(", ")}`);
  return value as Record<string, unknown>;
}

function idIn(value: Record<string, unknown>, field: string): string {
  const given = value[field];
  if (typeof given === "string" && given !== "" && given.length <= MAX_ID) return given;
  throw refused(`"${field}" must be a text of 1 to ${MAX_ID} characters`);
}

function refused(why: string): ToolrigError {
  return new ToolrigError("COMPLETION_REFUSED", `The message was refused: ${why}.`);
}
