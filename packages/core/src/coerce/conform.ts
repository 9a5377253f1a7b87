import type { Repair } from "@toolrig/json";
import { type ArgumentIssue, ToolrigError } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { asRefusal, explainRefusal, placeOf } from "../schema/library-issues.ts";
import type { StandardIssue, StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import { coerceAt, coerceText, EVERYWHERE } from "./coerce.ts";

export type Conformed =
  | {
      ok: true;
      /** What the schema makes of it. */
      value: unknown;
      /** What it was made of: the value as it was given, or coerced. */
      input: unknown;
      repairs: readonly Repair[];
    }
  | { ok: false; issues: ArgumentIssue[] };

interface Question {
  value: unknown;
  schema: AcceptedSchema;
  parse: NonNullable<AcceptedSchema["parse"]>;
  trusted: boolean;
  text: string | undefined;
}

export interface ConformOptions {
  /** False for schemas that come from outside this program. Default true. */
  trusted?: boolean;
  /** What the value was read from: where a number turns out to be text, it is these characters. */
  text?: string | undefined;
}

const NONE: readonly Repair[] = [];
const WHOLE: readonly StandardIssue[] = [{ message: "not an object" }];

/**
 * Holds a value against a schema. Valid is what the schema's own library says, where there is one: it is asked about the
 * value as it is, and only about what it refuses is anything coerced, by the JSON Schema and on a copy. Without a library
 * the JSON Schema decides. Throws what a library throws on a value that its JSON Schema accepts, and `SCHEMA_INVALID`.
 */
export function conform(
  value: unknown,
  schema: AcceptedSchema,
  { trusted = true, text }: ConformOptions = {},
): MaybePromise<Conformed> {
  const { jsonSchema, parse } = schema;
  if (parse === undefined) {
    const coerced = coerceText(value, jsonSchema, { trusted, text });
    return coerced.ok
      ? { ...coerced, ok: true, input: coerced.value }
      : { ok: false, issues: coerced.issues };
  }
  const question: Question = { value, schema, parse, trusted, text };
  if (schema.converts !== undefined) return coerceFirst(question, schema.converts);
  // To some libraries a list is an object without properties.
  if (jsonSchema.type === "object" && !isRecord(value)) return reconsider(question, WHOLE);
  const answer = ask(question, value);
  return isThenable(answer)
    ? answer.then((later) => conclude(question, later))
    : conclude(question, answer as StandardResult);
}

function conclude(question: Question, answer: StandardResult): MaybePromise<Conformed> {
  if (answer.issues !== undefined) return reconsider(question, answer.issues);
  return { ok: true, value: answer.value, input: question.value, repairs: NONE };
}

/** What the library says. Where it throws on what its JSON Schema refuses, that is a refusal. */
function ask(question: Question, value: unknown): MaybePromise<StandardResult> {
  try {
    const answer = question.parse(value);
    return isThenable(answer)
      ? Promise.resolve(answer as Promise<StandardResult>).catch((error) => threw(question, value, error))
      : answer;
  } catch (error) {
    return threw(question, value, error);
  }
}

function threw(question: Question, value: unknown, error: unknown): StandardResult {
  if (ToolrigError.isInstance(error) || validatorOf(question).check(value)) throw error;
  return { issues: [{ message: messageOf(error) }] };
}

/**
 * Coerces where the library refused, and asks again. A library that stops at its first issue names the next ones then, so
 * that everything is coerced the second time.
 */
async function reconsider(question: Question, refusal: readonly StandardIssue[]): Promise<Conformed> {
  let places = placesOf(refusal);
  let closest = question.value;
  let issues = refusal;
  for (;;) {
    const coerced = coerceAt(question.value, question.schema.jsonSchema, { ...question, places });
    if (coerced.repairs.length === 0) break;
    const answer = await ask(question, coerced.value);
    if (answer.issues === undefined)
      return { ok: true, value: answer.value, input: coerced.value, repairs: coerced.repairs };
    closest = coerced.value;
    issues = answer.issues;
    if (places.has("") || [...placesOf(issues)].every((place) => places.has(place))) break;
    places = EVERYWHERE;
  }
  return { ok: false, issues: explainRefusal(validatorOf(question), closest, issues) };
}

/** For a library that converts as JavaScript does: it gets what the model meant, and nothing that means nothing. */
function coerceFirst(question: Question, converts: JsonSchema): MaybePromise<Conformed> {
  const { value, schema, trusted } = question;
  const coerced = validatorOf(question).check(value)
    ? { value, repairs: NONE }
    : coerceAt(value, schema.jsonSchema, { ...question, places: EVERYWHERE });
  const meant = validatorFor(converts, { trusted });
  const judge = (answer: StandardResult): Conformed =>
    answer.issues === undefined
      ? { ok: true, value: answer.value, input: coerced.value, repairs: coerced.repairs }
      : { ok: false, issues: explainRefusal(validatorOf(question), coerced.value, answer.issues) };
  if (!meant.check(coerced.value)) return judge({ issues: meant.issues(coerced.value).map(asRefusal) });
  const answer = ask(question, coerced.value);
  return isThenable(answer) ? answer.then(judge) : judge(answer);
}

function placesOf(issues: readonly StandardIssue[]): ReadonlySet<string> {
  return new Set(Array.from(issues, placeOf));
}

function validatorOf({ schema, trusted }: Question) {
  return validatorFor(schema.jsonSchema, { trusted });
}
