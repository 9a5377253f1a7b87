import { copy, freeze } from "../copy.ts";
import { ToolrigError } from "../failure/failure.ts";
import { isThenable } from "../maybe-promise.ts";
import { type Checks, settingsOf } from "../options/check.ts";
import { type AcceptedSchema, acceptInputSchema, acceptSchema } from "../schema/accept.ts";
import type { StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import { mayHaveParameter } from "./labels.ts";
import { hasSideEffects, type Safety, UNDECLARED } from "./safety.ts";
import type { AnyTool, RetryPolicy, ToolSpec } from "./tool.ts";
import { isVersion } from "./version.ts";

type Spec = ToolSpec<unknown, unknown>;

const SIDE_EFFECTS = ["none", "read", "write", "external"];

const SETTINGS = settingsOf<Spec>({
  name: true,
  version: true,
  description: true,
  input: true,
  output: true,
  safety: true,
  timeout: true,
  idleTimeout: true,
  concurrency: true,
  rate: true,
  retry: true,
  mode: true,
  locks: true,
  pure: true,
  ledger: true,
  available: true,
  prepare: true,
  onGuess: true,
  approval: true,
  reconcile: true,
  check: true,
  cancel: true,
  wait: true,
  background: true,
  type: true,
  label: true,
  labels: true,
  preference: true,
  examples: true,
  execute: true,
});

/** What other libraries call them. */
const ELSEWHERE = {
  parameters: "input",
  schema: "input",
  handler: "execute",
  func: "execute",
  run: "execute",
  needsApproval: "approval",
};

/** The fields of a spec that need no other to be judged. */
export function checkFields(spec: Spec, check: Checks): void {
  check.known("it", spec, SETTINGS, ELSEWHERE);
  check.string("description", spec.description);
  if (spec.execute !== "external") check.function("execute", spec.execute, 'a function, or "external"');
  for (const field of ["available", "prepare", "locks", "reconcile", "check", "cancel"] as const) {
    if (spec[field] !== undefined) check.function(field, spec[field]);
  }
  for (const field of ["label", "type"] as const) {
    if (spec[field] !== undefined) check.string(field, spec[field]);
  }
  for (const field of ["pure", "ledger"] as const) check.flag(field, spec[field]);
  if (spec.version !== undefined && !isVersion(spec.version)) {
    throw check.invalid("version", 'a semantic version such as "1.2.0"', spec.version);
  }
  check.oneOf("onGuess", spec.onGuess, ["refuse", "ask"]);
  check.oneOf("mode", spec.mode, ["parallel", "sequential"]);
}

export function checkSafety({ safety }: Spec, check: Checks): Safety {
  if (safety === undefined) return UNDECLARED;
  if (typeof safety !== "object" || safety === null) throw check.invalid("safety", "an object", safety);
  check.known("safety", safety, ["sideEffects", "idempotent", "requires"]);
  const { sideEffects, idempotent = false, requires = [] } = safety;
  if (!SIDE_EFFECTS.includes(sideEffects))
    throw check.invalid(
      "safety.sideEffects",
      SIDE_EFFECTS.map((each) => `"${each}"`).join(" or "),
      sideEffects,
    );
  check.flag("safety.idempotent", idempotent);
  if (!Array.isArray(requires) || requires.some((each) => typeof each !== "string")) {
    throw check.invalid("safety.requires", 'a list of capability names such as ["network"]', requires);
  }
  return Object.freeze({ sideEffects, idempotent, requires: Object.freeze([...requires]) });
}

/** An answer may be remembered only where nothing is changed. */
export function checkPure({ pure, safety: declared }: Spec, safety: Safety, check: Checks): boolean {
  if (pure !== true || !hasSideEffects(safety)) return pure === true;
  const given = declared === undefined ? "undeclared safety" : safety.sideEffects;
  throw check.invalid("pure", 'safety.sideEffects "none" or "read" when pure is true', given);
}

/** A mistake in a schema of this program should not wait for the first call; one from outside is met when it is called. */
export function checkSchema(
  name: string,
  field: "input" | "output",
  schema: unknown,
  trusted: boolean,
  check: Checks,
): AcceptedSchema {
  const where = `Tool "${name}": ${field}`;
  if (schema === undefined || schema === null) {
    throw check.invalid(field, "a Standard Schema, a TypeBox type or JSON Schema", schema);
  }
  const accepted = field === "input" ? acceptInputSchema(schema, where) : acceptSchema(schema, where);
  if (trusted) refuseBroken(where, accepted);
  return Object.freeze(accepted);
}

function refuseBroken(where: string, { jsonSchema }: AcceptedSchema): void {
  try {
    validatorFor(jsonSchema);
  } catch (error) {
    if (!ToolrigError.isInstance(error)) throw error;
    throw new ToolrigError("TOOL_INVALID_DEFINITION", `${where}: ${error.message}`, { cause: error });
  }
}

export function checkExamples(
  spec: Spec,
  input: AcceptedSchema,
  trusted: boolean,
  check: Checks,
): AnyTool["examples"] {
  const examples = freeze(copy(spec.examples === undefined ? [] : spec.examples));
  if (!Array.isArray(examples)) throw check.invalid("examples", "a list of { arguments }", examples);
  for (const [index, example] of examples.entries()) {
    if (typeof example !== "object" || example === null)
      throw check.invalid(`examples[${index}]`, "{ arguments }", example);
    const issue = validatorFor(input.jsonSchema, { trusted }).issues(example.arguments)[0];
    if (issue !== undefined && !takes(input, example.arguments)) {
      throw check.invalid(
        `examples[${index}].arguments`,
        `valid for input (${issue.message})`,
        example.arguments,
      );
    }
  }
  return examples;
}

/** Whether the schema's own library takes what its JSON Schema refuses. One that answers later is believed. */
function takes({ parse }: AcceptedSchema, value: unknown): boolean {
  try {
    const answer = parse?.(value);
    if (isThenable(answer)) answer.then(undefined, () => {});
    return answer !== undefined && (isThenable(answer) || (answer as StandardResult).issues === undefined);
  } catch {
    return false;
  }
}

export function checkRate({ rate }: Spec, check: Checks): AnyTool["rate"] {
  if (rate === undefined) return undefined;
  if (typeof rate !== "object" || rate === null) throw check.invalid("rate", "{ limit, per }", rate);
  check.known("rate", rate, ["limit", "per", "wait"]);
  const limit = check.count("rate.limit", rate.limit);
  const perMs = check.timeout("rate.per", rate.per);
  if (limit === undefined || perMs === undefined) throw check.invalid("rate", "{ limit, per }", rate);
  const waitMs = rate.wait === 0 ? 0 : (check.timeout("rate.wait", rate.wait) ?? 5_000);
  return Object.freeze({ limit, perMs, waitMs });
}

export function checkRetry({ retry = {} }: Spec, check: Checks): RetryPolicy {
  if (typeof retry !== "object" || retry === null)
    throw check.invalid("retry", "{ attempts, backoff }", retry);
  check.known("retry", retry, ["attempts", "backoff", "maxBackoff", "timeouts"]);
  check.flag("retry.timeouts", retry.timeouts);
  return Object.freeze({
    attempts: check.count("retry.attempts", retry.attempts) ?? 3,
    backoffMs: retry.backoff === 0 ? 0 : (check.timeout("retry.backoff", retry.backoff) ?? 200),
    maxBackoffMs: check.timeout("retry.maxBackoff", retry.maxBackoff) ?? 10_000,
    timeouts: retry.timeouts === true,
  });
}

const DAY_MS = 86_400_000;

export function checkWait({ wait = {} }: Spec, check: Checks): AnyTool["wait"] {
  if (typeof wait !== "object" || wait === null) throw check.invalid("wait", "{ expires, every }", wait);
  check.known("wait", wait, ["expires", "every", "maxEvery"]);
  const everyMs = check.timeout("wait.every", wait.every) ?? 5_000;
  return Object.freeze({
    expiresMs: check.timeout("wait.expires", wait.expires) ?? DAY_MS,
    everyMs,
    maxEveryMs: Math.max(everyMs, check.timeout("wait.maxEvery", wait.maxEvery) ?? 300_000),
  });
}

export function checkPreference(spec: Spec, check: Checks): AnyTool["preference"] {
  const preference = freeze(copy(spec.preference));
  if (preference === undefined) return undefined;
  check.object("preference", preference, "{ enabled, weight, overrides }");
  check.known("preference", preference, ["enabled", "weight", "overrides"]);
  const { enabled, weight, overrides } = preference;
  check.flag("preference.enabled", enabled);
  if (overrides !== undefined) check.object("preference.overrides", overrides);
  if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0)) {
    throw check.invalid("preference.weight", "a number of at least 0", weight);
  }
  return preference;
}

export function checkLabels(spec: Spec, check: Checks, { jsonSchema }: AcceptedSchema): AnyTool["labels"] {
  const labels = freeze(copy(spec.labels));
  if (labels === undefined) return undefined;
  check.object("labels", labels);
  check.known("labels", labels, ["integrity", "confidentiality", "source", "sinks", "user"]);
  const { integrity, confidentiality, source, sinks } = labels;
  if (integrity !== undefined) check.oneOf("labels.integrity", integrity, ["trusted", "untrusted"]);
  if (confidentiality !== undefined)
    check.oneOf("labels.confidentiality", confidentiality, ["public", "private"]);
  if (source !== undefined) check.string("labels.source", source);
  check.flag("labels.user", labels.user);
  if (sinks !== undefined && !(Array.isArray(sinks) && sinks.every((each) => typeof each === "string")))
    throw check.invalid("labels.sinks", "a list of parameter names", sinks);
  const missing = sinks?.find((sink) => !mayHaveParameter(jsonSchema, sink.replace(/\..*/, "")));
  if (missing !== undefined)
    throw check.invalid("labels.sinks", "names of parameters that input has", missing);
  return labels;
}
