import type { ArgumentIssue } from "../failure.ts";
import { Evaluation } from "./evaluate.ts";
import { issuesOf } from "./issues.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { NormalSchema } from "./normal.ts";
import { type Prepared, prepare } from "./prepared.ts";

/** Checks values against one JSON Schema. Never throws for a value and takes bounded time for any value. */
export interface Validator {
  check(value: unknown): boolean;
  /** What is wrong with a value, place by place; empty for a valid one. */
  issues(value: unknown): ArgumentIssue[];
}

export interface ValidatorOptions {
  /**
   * False for schemas that come from outside this program (MCP servers, tools a model wrote): patterns that only a
   * backtracking engine could run are refused, malformed keywords are ignored. Default true.
   */
  trusted?: boolean;
}

const validators = new WeakMap<Prepared, Validator>();

/**
 * The validator for a schema, remembered for as long as the schema object lives. Throws `SCHEMA_INVALID`, saying why,
 * for a schema that cannot be used; what is costly about a usable one is left to the first check.
 */
export function validatorFor(jsonSchema: JsonSchema, { trusted = true }: ValidatorOptions = {}): Validator {
  const prepared = prepare(jsonSchema, trusted);
  let validator = validators.get(prepared);
  if (validator === undefined) {
    validator = {
      check: (value) => prepared.check(value),
      issues: (value) => (prepared.check(value) ? [] : explain(prepared.normal, value)),
    };
    validators.set(prepared, validator);
  }
  return validator;
}

/** The issues of a value that was refused. Never empty. */
export function explain(normal: NormalSchema, value: unknown): ArgumentIssue[] {
  try {
    const issues = issuesOf(normal, new Evaluation(normal).problems(normal.root, value));
    if (issues.length > 0) return issues;
  } catch {}
  const message =
    "arguments: too large, too deeply nested or not readable as JSON data. Send simpler arguments.";
  return [{ path: "", expected: "arguments within the limits", received: "arguments beyond them", message }];
}
