import type { ArgumentIssue } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { isClosed } from "./closed.ts";
import { compile } from "./compile.ts";
import { Evaluation } from "./evaluate.ts";
import { issuesOf } from "./issues.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { NormalSchema } from "./normal.ts";
import { normalise } from "./normalise.ts";
import { invalid } from "./reading.ts";
import { TooComplex } from "./too-complex.ts";
import { vet } from "./vet.ts";

/**
 * Checks values against one JSON Schema. Never throws for a value, and takes bounded time for any value unless a schema of
 * this program insists on look-around or back-references.
 */
export interface Validator {
  /** Whether a value is known to be valid. */
  check(value: unknown): boolean;
  /** Undefined for a value beyond the limits, of which nothing can be said: whoever asks decides for the safe side. */
  decide(value: unknown): boolean | undefined;
  /** What is wrong with a value, place by place; empty for a valid one. */
  issues(value: unknown): ArgumentIssue[];
}

export interface ValidatorOptions {
  /**
   * False for schemas that come from outside this program (MCP servers, tools a model wrote): patterns that only a
   * backtracking engine could run are refused, malformed keywords are ignored. Default true.
   */
  trusted?: boolean;
  /** False for one of many schemas of which each is needed for a few values: compiling takes longer than those. Default true. */
  compiled?: boolean;
}

/** A validator and the schema it works with, for those who look into the schema themselves. */
interface PreparedValidator extends Validator {
  readonly normal: NormalSchema;
  /** The schema describes every property of every value that it accepts. */
  readonly closed: boolean;
}

const trustedSchemas = new WeakMap<JsonSchema, PreparedValidator>();
const untrustedSchemas = new WeakMap<JsonSchema, PreparedValidator>();
const evaluatedSchemas = new WeakMap<JsonSchema, PreparedValidator>();

/**
 * The validator for a schema, remembered for as long as the schema object lives. Throws `SCHEMA_INVALID`, saying why,
 * for a schema that cannot be used. A usable one is compiled by its first check.
 */
export function validatorFor(
  jsonSchema: JsonSchema,
  { trusted = true, compiled = true }: ValidatorOptions = {},
): PreparedValidator {
  const cache = !compiled ? evaluatedSchemas : trusted ? trustedSchemas : untrustedSchemas;
  let validator = cache.get(jsonSchema);
  if (validator === undefined) {
    if (!isRecord(jsonSchema)) throw invalid("#", `must be an object, not ${JSON.stringify(jsonSchema)}`);
    const normal = normalise(jsonSchema, trusted);
    const how = vet(normal);
    const decide = lazyCheck(normal, compiled ? how : "evaluated");
    const check = (value: unknown) => decide(value) === true;
    validator = {
      normal,
      closed: isClosed(normal.root),
      check,
      decide,
      issues: (value) => (check(value) ? [] : explain(normal, value)),
    };
    cache.set(jsonSchema, validator);
  }
  return validator;
}

/**
 * Compiled code is not trusted to cope with everything: where it overflows the stack, the value is evaluated within
 * limits instead. Of a value beyond those limits, or one that throws when it is read, nothing is known.
 */
function lazyCheck(
  normal: NormalSchema,
  how: "compiled" | "evaluated",
): (value: unknown) => boolean | undefined {
  const evaluate = (value: unknown) => new Evaluation(normal).isValid(normal.root, value);
  let check = how === "compiled" ? undefined : evaluate;
  return (value) => {
    try {
      check ??= compile(normal) ?? evaluate;
      return check(value);
    } catch (error) {
      return error instanceof TooComplex ? inDoubt(normal, value) : attempt(evaluate, value);
    }
  };
}

/**
 * A value of which a part is beyond the limits. What the rest says may still decide: a value is valid that is so whatever
 * the part is, and not valid if it is not even then.
 */
function inDoubt(normal: NormalSchema, value: unknown): boolean | undefined {
  const counting = (doubt: boolean) =>
    attempt((each) => new Evaluation(normal, doubt).isValid(normal.root, each), value);
  if (counting(false) === true) return true;
  return counting(true) === false ? false : undefined;
}

function attempt(check: (value: unknown) => boolean, value: unknown): boolean | undefined {
  try {
    return check(value);
  } catch {
    return undefined;
  }
}

/** The issues of a value that was refused. Never empty. */
function explain(normal: NormalSchema, value: unknown): ArgumentIssue[] {
  let reason = "too large, too deeply nested or not readable as JSON data";
  try {
    const issues = issuesOf(normal, new Evaluation(normal).problems(normal.root, value));
    if (issues.length > 0) return issues;
  } catch (error) {
    if (error instanceof TooComplex) reason = error.message;
  }
  const message = `arguments: ${reason}. Send simpler arguments.`;
  return [{ path: "", expected: "arguments within the limits", received: "arguments beyond them", message }];
}
