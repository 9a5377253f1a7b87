import type { Duration } from "@toolrig/core";
import { check, parseDuration, repeatLimits, systemClock } from "@toolrig/core/kit";
import { extractionOf } from "../model/extracted-calls.ts";
import type { ModelRetry } from "../model/infer.ts";
import { listenersOf } from "../run/run-events.ts";
import type { Setup } from "../run/setup.ts";
import { loopTools } from "./loop-tools.ts";
import type { AgentLoopOptions } from "./options.ts";

/** Checks the options of a loop. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: AgentLoopOptions): Setup {
  const { engine, events, hooks = {}, budgets = {}, extract = true, repeats = {}, retry = {} } = options;
  if (typeof engine?.stream !== "function") {
    throw check.invalid("engine", "an engine such as aiSdkEngine(model)", engine);
  }
  check.oneOf("mode", options.mode, ["parallel", "sequential"]);
  check.oneOf("steering", options.steering, ["one", "all"]);
  check.oneOf("followUps", options.followUps, ["one", "all"]);
  return {
    engine,
    system: options.system,
    ...loopTools(options),
    maxToolIterations: check.limit("maxToolIterations", options.maxToolIterations ?? 20),
    mode: options.mode,
    onToolResult: options.onToolResult?.bind(options),
    listeners: listenersOf(events),
    hooks,
    callBudget: check.limit("budgets.calls", budgets.calls ?? Number.POSITIVE_INFINITY),
    tokenBudget: check.limit("budgets.tokens", budgets.tokens ?? Number.POSITIVE_INFINITY, 1),
    timeBudgetMs: budgets.time === undefined ? undefined : parseDuration(budgets.time, "budgets.time"),
    journal: options.journal,
    steering: options.steering ?? "one",
    followUps: options.followUps ?? "one",
    extract: extractionOf(extract),
    repeats: repeats === false ? undefined : repeatLimits(repeats),
    flow: options.flow,
    approvals: options.approvals,
    retry: modelRetry(retry),
    idleMs: check.timeout("idleTimeout", options.idleTimeout ?? "5m"),
    answerMs: check.timeout("answerWithin", options.answerWithin ?? "60s"),
    clock: options.clock ?? systemClock,
  };
}

function modelRetry({
  attempts,
  backoff = "500ms",
  maxBackoff = "30s",
}: {
  attempts?: number;
  backoff?: Duration;
  maxBackoff?: Duration;
}): ModelRetry {
  return {
    attempts: check.limit("retry.attempts", attempts ?? 3, 1),
    backoffMs: parseDuration(backoff, "retry.backoff"),
    maxBackoffMs: parseDuration(maxBackoff, "retry.maxBackoff"),
  };
}
