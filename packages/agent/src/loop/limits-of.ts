import type { EventLog, Listener } from "@toolrig/core";
import { check, onWaitingOf, parseDuration, repeatLimits } from "@toolrig/core/kit";
import type { Engine } from "../model/engine.ts";
import { extractionOf } from "../model/extracted-calls.ts";
import type { Setup } from "../run/setup.ts";
import { type AgentLoopOptions, agentLoopOptions, modelRetry } from "./options.ts";

/** Options of a loop, and those of an executor of plans that makes loops. */
type LoopLike<Event> = Omit<AgentLoopOptions, "engine" | "events"> & {
  engine?: Engine;
  events?: EventLog<Event> | Listener<Event>;
};

type Limits = Pick<
  Setup,
  | "maxToolIterations"
  | "callBudget"
  | "tokenBudget"
  | "timeBudgetMs"
  | "extract"
  | "repeats"
  | "retry"
  | "idleMs"
  | "answerMs"
>;

/**
 * Limits of a loop from options that were checked. Throws `OPTION_INVALID` for options that do not go together, and for a family of
 * calls that does not exist.
 */
export function limitsOf<Event>(options: LoopLike<Event>): Limits {
  const { defaults } = agentLoopOptions;
  if (onWaitingOf(options.onWaiting) === "return" && options.journal === undefined)
    throw check.invalid(
      "journal",
      "given, because runs that return while they wait are resumed from it",
      undefined,
    );
  const { budgets = {}, extract = true, repeats = {}, retry = {} } = options;
  const { calls = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY, time } = budgets;
  const { attempts, backoff, maxBackoff } = modelRetry.withDefaults(retry);
  return {
    maxToolIterations: options.maxToolIterations ?? defaults.maxToolIterations,
    callBudget: calls,
    tokenBudget: tokens,
    timeBudgetMs: time === undefined ? undefined : parseDuration(time, "budgets.time"),
    extract: extractionOf(extract),
    repeats: repeats === false ? undefined : repeatLimits(repeats),
    retry: {
      attempts,
      backoffMs: parseDuration(backoff, "retry.backoff"),
      maxBackoffMs: parseDuration(maxBackoff, "retry.maxBackoff"),
    },
    idleMs: parseDuration(options.idleTimeout ?? defaults.idleTimeout, "idleTimeout"),
    answerMs: parseDuration(options.answerWithin ?? defaults.answerWithin, "answerWithin"),
  };
}
