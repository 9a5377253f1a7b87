import type { MarkedOutcome } from "../call/result.ts";
import { type ToolFailure, ToolrigError } from "../failure/failure.ts";
import { type Duration, MAX_TIMER_MS, parseDuration } from "../options/duration.ts";
import { messageOf } from "../plain.ts";
import { type AcceptedSchema, acceptInputSchema, acceptSchema } from "../schema/accept.ts";
import type { InferInput } from "../schema/infer.ts";
import { validatorFor } from "../schema/validate.ts";
import type { ToolContext } from "./context.ts";
import { describeTool } from "./definition.ts";
import { mayHaveParameter } from "./labels.ts";
import { hasSideEffects, type Safety, UNDECLARED } from "./safety.ts";
import type { AnyTool, RetryPolicy, Tool, ToolSpec } from "./tool.ts";
import { isVersion } from "./version.ts";

const TOOL_MARK = Symbol.for("toolrig.tool");
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const SIDE_EFFECTS = ["none", "read", "write", "external"];

/** Defines a tool. Throws `TOOL_INVALID_DEFINITION`, naming the field, for a definition that could not work. */
export function tool<const Schema, Output>(
  spec: ToolSpec<Schema, Output>,
): Tool<InferInput<Schema>, Exclude<Output, MarkedOutcome | ToolFailure>> {
  return defineTool(spec as ToolSpec<unknown, unknown>, { trusted: true }) as AnyTool as Tool<
    InferInput<Schema>,
    Exclude<Output, MarkedOutcome | ToolFailure>
  >;
}

/** `tool()` for definitions that come from outside: an untrusted schema is vetted before it is ever compiled. */
export function defineTool(spec: ToolSpec<unknown, unknown>, { trusted }: { trusted: boolean }): AnyTool {
  if (typeof spec !== "object" || spec === null) throw invalid("?", "definition", "an object", spec);
  const { name } = spec;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw invalid(
      typeof name === "string" ? name : "?",
      "name",
      "1 to 128 letters, digits, _ . or -, not starting with a digit",
      name,
    );
  }
  const check = checksFor(name);
  check.string("description", spec.description);
  check.function("execute", spec.execute);
  for (const field of ["available", "prepare", "locks", "reconcile"] as const) {
    if (spec[field] !== undefined) check.function(field, spec[field]);
  }
  for (const field of ["label", "type"] as const) {
    if (spec[field] !== undefined) check.string(field, spec[field]);
  }
  for (const field of ["pure", "ledger"] as const) check.flag(field, spec[field]);
  if (spec.version !== undefined && !isVersion(spec.version)) {
    throw invalid(name, "version", 'a semantic version such as "1.2.0"', spec.version);
  }
  if (spec.mode !== undefined) check.oneOf("mode", spec.mode, ["parallel", "sequential"]);
  const safety = checkSafety(spec, check);
  if (spec.pure === true && hasSideEffects(safety)) {
    const given = spec.safety === undefined ? "undeclared safety" : safety.sideEffects;
    throw invalid(name, "pure", 'safety.sideEffects "none" or "read" when pure is true', given);
  }
  const input = checkSchema(name, "input", spec.input, trusted);
  const output = spec.output === undefined ? undefined : checkSchema(name, "output", spec.output, trusted);
  checkExamples(name, spec, input, trusted);

  return Object.freeze({
    [TOOL_MARK]: true,
    name,
    version: spec.version,
    type: spec.type ?? "function",
    definition: describeTool(spec, safety, input, output),
    safety,
    input,
    output,
    trusted,
    timeoutMs: check.duration("timeout", spec.timeout),
    idleTimeoutMs: check.duration("idleTimeout", spec.idleTimeout),
    concurrency: check.count("concurrency", spec.concurrency),
    rate: checkRate(spec, check),
    retry: checkRetry(spec, check),
    mode: spec.mode ?? "parallel",
    pure: spec.pure === true,
    ledger: spec.ledger === true || hasSideEffects(safety),
    label: spec.label,
    labels: checkLabels(spec, check, input),
    preference: checkPreference(spec, check),
    examples: spec.examples ?? [],
    locks: spec.locks?.bind(spec),
    prepare: spec.prepare?.bind(spec),
    approval: approvalOf(spec),
    reconcile: spec.reconcile?.bind(spec),
    available: () => availability(spec),
    execute: (args: never, context: ToolContext) => spec.execute(args, context),
  });
}

export function isTool(value: unknown): value is AnyTool {
  return (
    typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[TOOL_MARK] === true
  );
}

function invalid(name: string, field: string, expected: string, received: unknown): ToolrigError {
  const shown =
    typeof received === "string"
      ? `"${received}"`
      : typeof received === "object"
        ? kindOf(received)
        : String(received);
  return new ToolrigError(
    "TOOL_INVALID_DEFINITION",
    `Tool "${name}": ${field} must be ${expected}; got ${shown}.`,
    { details: { tool: name, field } },
  );
}

function kindOf(value: object | null): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : "an object";
}

type Checks = ReturnType<typeof checksFor>;

function checksFor(name: string) {
  return {
    string(field: string, value: unknown) {
      if (typeof value !== "string" || value.trim() === "")
        throw invalid(name, field, "a non-empty string", value);
    },
    function(field: string, value: unknown) {
      if (typeof value !== "function") throw invalid(name, field, "a function", value);
    },
    oneOf(field: string, value: unknown, choices: readonly string[]) {
      if (choices.includes(value as string)) return;
      throw invalid(name, field, `one of ${choices.map((choice) => `"${choice}"`).join(", ")}`, value);
    },
    flag(field: string, value: unknown) {
      if (value !== undefined && typeof value !== "boolean")
        throw invalid(name, field, "true or false", value);
    },
    object(field: string, value: unknown, expected = "an object") {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw invalid(name, field, expected, value);
    },
    count(field: string, value: number | undefined): number | undefined {
      if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
      throw invalid(name, field, "a whole number of at least 1", value);
    },
    duration(field: string, value: Duration | undefined): number | undefined {
      if (value === undefined) return undefined;
      const ms = durationOrNaN(value);
      if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
      throw invalid(name, field, 'a duration above 0 and up to 24 days, such as 500 or "10s"', value);
    },
  };
}

function durationOrNaN(value: Duration): number {
  try {
    return parseDuration(value, "duration");
  } catch {
    return Number.NaN;
  }
}

function checkSafety({ name, safety }: ToolSpec<unknown, unknown>, check: Checks): Safety {
  if (safety === undefined) return UNDECLARED;
  if (typeof safety !== "object" || safety === null) throw invalid(name, "safety", "an object", safety);
  check.oneOf("safety.sideEffects", safety.sideEffects, SIDE_EFFECTS);
  const { idempotent = false, requires = [] } = safety;
  check.flag("safety.idempotent", idempotent);
  if (!Array.isArray(requires) || requires.some((each) => typeof each !== "string")) {
    throw invalid(name, "safety.requires", 'a list of capability names such as ["network"]', requires);
  }
  return Object.freeze({
    sideEffects: safety.sideEffects,
    idempotent,
    requires: Object.freeze([...requires]),
  });
}

/** A mistake in a schema of this program should not wait for the first call; one from outside is met when it is called. */
function checkSchema(
  name: string,
  field: "input" | "output",
  schema: unknown,
  trusted: boolean,
): AcceptedSchema {
  const where = `Tool "${name}": ${field}`;
  if (schema === undefined || schema === null) {
    throw invalid(name, field, "a Standard Schema, a TypeBox type or JSON Schema", schema);
  }
  const accepted = field === "input" ? acceptInputSchema(schema, where) : acceptSchema(schema, where);
  if (trusted) refuseBroken(where, accepted);
  return accepted;
}

function refuseBroken(where: string, { jsonSchema }: AcceptedSchema): void {
  try {
    validatorFor(jsonSchema);
  } catch (error) {
    if (!ToolrigError.isInstance(error)) throw error;
    throw new ToolrigError("TOOL_INVALID_DEFINITION", `${where}: ${error.message}`, { cause: error });
  }
}

function checkExamples(
  name: string,
  { examples }: ToolSpec<unknown, unknown>,
  input: AcceptedSchema,
  trusted: boolean,
): void {
  if (examples === undefined) return;
  if (!Array.isArray(examples)) throw invalid(name, "examples", "a list of { arguments }", examples);
  for (const [index, example] of examples.entries()) {
    if (typeof example !== "object" || example === null)
      throw invalid(name, `examples[${index}]`, "{ arguments }", example);
    const issue = validatorFor(input.jsonSchema, { trusted }).issues(example?.arguments)[0];
    if (issue !== undefined) {
      throw invalid(
        name,
        `examples[${index}].arguments`,
        `valid for input (${issue.message})`,
        example?.arguments,
      );
    }
  }
}

function checkRate({ name, rate }: ToolSpec<unknown, unknown>, check: Checks): AnyTool["rate"] {
  if (rate === undefined) return undefined;
  if (typeof rate !== "object" || rate === null) throw invalid(name, "rate", "{ limit, per }", rate);
  const limit = check.count("rate.limit", rate.limit);
  const perMs = check.duration("rate.per", rate.per);
  if (limit === undefined || perMs === undefined) throw invalid(name, "rate", "{ limit, per }", rate);
  return { limit, perMs, waitMs: rate.wait === 0 ? 0 : (check.duration("rate.wait", rate.wait) ?? 5_000) };
}

function checkRetry({ name, retry = {} }: ToolSpec<unknown, unknown>, check: Checks): RetryPolicy {
  if (typeof retry !== "object" || retry === null)
    throw invalid(name, "retry", "{ attempts, backoff }", retry);
  check.flag("retry.timeouts", retry.timeouts);
  return {
    attempts: check.count("retry.attempts", retry.attempts) ?? 3,
    backoffMs: retry.backoff === 0 ? 0 : (check.duration("retry.backoff", retry.backoff) ?? 200),
    maxBackoffMs: check.duration("retry.maxBackoff", retry.maxBackoff) ?? 10_000,
    timeouts: retry.timeouts === true,
  };
}

function checkPreference({ name, preference }: ToolSpec<unknown, unknown>, check: Checks) {
  if (preference === undefined) return undefined;
  check.object("preference", preference, "{ enabled, weight, overrides }");
  const { enabled, weight, overrides } = preference;
  check.flag("preference.enabled", enabled);
  if (overrides !== undefined) check.object("preference.overrides", overrides);
  if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0)) {
    throw invalid(name, "preference.weight", "a number of at least 0", weight);
  }
  return preference;
}

function checkLabels(
  { name, labels }: ToolSpec<unknown, unknown>,
  check: Checks,
  { jsonSchema }: AcceptedSchema,
): AnyTool["labels"] {
  if (labels === undefined) return undefined;
  check.object("labels", labels);
  const { integrity, confidentiality, source, sinks } = labels;
  if (integrity !== undefined) check.oneOf("labels.integrity", integrity, ["trusted", "untrusted"]);
  if (confidentiality !== undefined)
    check.oneOf("labels.confidentiality", confidentiality, ["public", "private"]);
  if (source !== undefined) check.string("labels.source", source);
  if (sinks !== undefined && !(Array.isArray(sinks) && sinks.every((each) => typeof each === "string")))
    throw invalid(name, "labels.sinks", "a list of parameter names", sinks);
  const missing = sinks?.find((sink) => !mayHaveParameter(jsonSchema, sink.split(".")[0]!));
  if (missing !== undefined)
    throw invalid(name, "labels.sinks", "names of parameters that input has", missing);
  return labels;
}

function approvalOf(spec: ToolSpec<unknown, unknown>): AnyTool["approval"] {
  const { name, approval } = spec;
  if (approval === undefined || approval === false) return undefined;
  if (approval === true) return () => true;
  if (typeof approval === "function") return approval.bind(spec);
  throw invalid(name, "approval", "true, false or a function of the arguments", approval);
}

function availability(spec: ToolSpec<unknown, unknown>): true | string {
  if (spec.available === undefined) return true;
  const { name } = spec;
  try {
    const answer: unknown = spec.available();
    if (answer === true) return true;
    if (answer === false) return "not available at the moment";
    if (typeof answer === "string") return answer;
    return `available() of ${name} must return true or a reason, got ${typeof answer}`;
  } catch (error) {
    return `available() of ${name} threw: ${messageOf(error)}`;
  }
}
