import { copy, freeze } from "../copy.ts";
import { ToolrigError } from "../failure/failure.ts";
import { isThenable } from "../maybe-promise.ts";
import type { Checks } from "../options/check.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import { type AcceptedSchema, acceptInputSchema, acceptSchema } from "../schema/accept.ts";
import type { StandardResult } from "../schema/standard.ts";
import { validatorFor } from "../schema/validate.ts";
import { mayHaveParameter } from "./labels.ts";
import { hasSideEffects, type Safety, UNDECLARED } from "./safety.ts";
import {
  type AnyTool,
  type RetryPolicy,
  rateOptions,
  retryOptions,
  type ToolSpec,
  waitOptions,
} from "./tool.ts";

type Spec = ToolSpec<unknown, unknown>;

export function safetyOf({ safety }: Spec): Safety {
  if (safety === undefined) return UNDECLARED;
  const { sideEffects, idempotent = false, requires = [] } = safety;
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
  for (const [index, example] of examples.entries()) {
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

export function rateOf({ rate }: Spec): AnyTool["rate"] {
  if (rate === undefined) return undefined;
  const { limit, per, wait } = rateOptions.withDefaults(rate);
  return Object.freeze({ limit, perMs: milliseconds(per), waitMs: milliseconds(wait) });
}

export function retryOf({ retry = {} }: Spec): RetryPolicy {
  const { attempts, backoff, maxBackoff, timeouts } = retryOptions.withDefaults(retry);
  return Object.freeze({
    attempts,
    backoffMs: milliseconds(backoff),
    maxBackoffMs: milliseconds(maxBackoff),
    timeouts,
  });
}

export function waitOf({ wait = {} }: Spec): AnyTool["wait"] {
  const { expires, every, maxEvery } = waitOptions.withDefaults(wait);
  const everyMs = milliseconds(every);
  return Object.freeze({
    expiresMs: milliseconds(expires),
    everyMs,
    maxEveryMs: Math.max(everyMs, milliseconds(maxEvery)),
  });
}

export function milliseconds(duration: Duration): number;
export function milliseconds(duration: Duration | undefined): number | undefined;
export function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration, "duration");
}

/** Throws for a sink that `input` has no parameter for, and for assigned fields among others that are not called untrusted. */
export function labelsOf(spec: Spec, check: Checks, { jsonSchema }: AcceptedSchema): AnyTool["labels"] {
  const labels = freeze(copy(spec.labels));
  const missing = labels?.sinks?.find((sink) => !mayHaveParameter(jsonSchema, sink.replace(/\..*/, "")));
  if (missing !== undefined)
    throw check.invalid("labels.sinks", "names of parameters that input has", missing);
  if (labels?.assigned !== undefined && labels.integrity !== "untrusted")
    throw check.invalid("labels.assigned", 'given with integrity: "untrusted"', labels.integrity);
  return labels;
}
