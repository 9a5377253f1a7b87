import type { EventLog, Listener } from "@toolrig/core";
import { check, parseDuration, repeatLimits, settingsOf } from "@toolrig/core/kit";
import type { Engine } from "../model/engine.ts";
import { extractionOf } from "../model/extracted-calls.ts";
import type { ModelRetry } from "../model/infer.ts";
import type { LoopHooks } from "../run/hooks.ts";
import type { Setup } from "../run/setup.ts";
import type { AgentLoopOptions, Budgets, RunOptions } from "./options.ts";
import { TRIM_SETTINGS } from "./trim-options.ts";

/** What the checks of a loop serve: its own options, and those of an executor of plans that makes loops. */
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

type Retry = NonNullable<AgentLoopOptions["retry"]>;

export const LOOP_SETTINGS = settingsOf<AgentLoopOptions>({
  engine: true,
  tools: true,
  executor: true,
  system: true,
  maxToolIterations: true,
  onWaiting: true,
  mode: true,
  onToolResult: true,
  events: true,
  hooks: true,
  budgets: true,
  journal: true,
  steering: true,
  followUps: true,
  extract: true,
  repeats: true,
  flow: true,
  approvals: true,
  retry: true,
  idleTimeout: true,
  answerWithin: true,
  selection: true,
  trimResults: true,
  tracer: true,
  clock: true,
});
const HOOKS = settingsOf<LoopHooks>({
  judgesEdits: true,
  beforeCall: true,
  afterCall: true,
  prepareTurn: true,
  transformContext: true,
  shouldStop: true,
  onAnswer: true,
});
const BUDGETS = settingsOf<Budgets>({ calls: true, tokens: true, time: true });
const RETRY = settingsOf<Retry>({ attempts: true, backoff: true, maxBackoff: true });
const RUN_SETTINGS = settingsOf<RunOptions>({
  signal: true,
  runId: true,
  requestId: true,
  stepName: true,
  parentId: true,
  principal: true,
  trace: true,
  messages: true,
});

/** Throws `OPTION_INVALID`, naming what is wrong with the options of a run. */
export function checkRunOptions(options: RunOptions): void {
  check.known("A run", options, RUN_SETTINGS);
  if (options.messages !== undefined) check.list("messages", options.messages, "a list of messages");
}

/** Everything about a loop but its tools. Throws `OPTION_INVALID`, naming the option. */
export function checkLoopOptions<Event>(options: LoopLike<Event>): Limits {
  checkParts(options);
  check.oneOf("mode", options.mode, ["parallel", "sequential"]);
  check.oneOf("onWaiting", options.onWaiting, ["hold", "suspend", "continue"]);
  if (options.onWaiting === "suspend" && options.journal === undefined)
    throw check.invalid("journal", "given to suspend runs", undefined);
  check.oneOf("steering", options.steering, ["one", "all"]);
  check.oneOf("followUps", options.followUps, ["one", "all"]);
  const { budgets = {}, extract = true, repeats = {}, retry = {}, idleTimeout = "5m" } = options;
  const { maxToolIterations = 20 } = options;
  check.known("budgets", budgets, BUDGETS);
  check.known("trimResults", options.trimResults, TRIM_SETTINGS);
  const { calls = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY, time } = budgets;
  return {
    maxToolIterations: check.limit("maxToolIterations", maxToolIterations, 1),
    callBudget: check.limit("budgets.calls", calls),
    tokenBudget: check.limit("budgets.tokens", tokens, 1),
    timeBudgetMs: check.timeout("budgets.time", time),
    extract: extractionOf(extract),
    repeats: repeats === false ? undefined : repeatLimits(repeats),
    retry: modelRetry(retry),
    idleMs: check.timeout("idleTimeout", idleTimeout),
    answerMs: check.timeout("answerWithin", options.answerWithin ?? "60s"),
  };
}

/** What others made: an engine, stores, functions. */
function checkParts<Event>(options: LoopLike<Event>): void {
  const { engine, executor, system, onToolResult, events, hooks = {}, journal, flow, approvals } = options;
  check.has("engine", engine, ["stream"], "an engine such as aiSdkEngine(model)");
  if (executor !== undefined) check.object("executor", executor, "an executor, or options for one");
  if (system !== undefined && typeof system !== "string") throw check.invalid("system", "a string", system);
  if (onToolResult !== undefined) check.function("onToolResult", onToolResult);
  if (typeof events !== "function")
    check.has("events", events, ["append"], "a listener or a log with append");
  check.known("hooks", hooks, HOOKS);
  for (const [name, hook] of Object.entries(hooks))
    if (hook !== undefined) check.function(`hooks.${name}`, hook);
  check.has("journal", journal, ["begin", "append", "header", "entries"], "a journal");
  check.has(
    "flow",
    flow,
    ["userSaid", "outsiderSaid", "offered", "recall", "join", "startedBy", "forget"],
    "an InformationFlow",
  );
  check.has("approvals", approvals, ["supersede"], "an ApprovalQueue");
  check.has("tracer", options.tracer, ["calls", "run", "inference"], "a tracer, such as telemetry()");
  check.has("clock", options.clock, ["now", "set", "clear"], "a clock");
}

function modelRetry(retry: Retry): ModelRetry {
  check.known("retry", retry, RETRY);
  const { attempts = 3, backoff = "500ms", maxBackoff = "30s" } = retry;
  return {
    attempts: check.limit("retry.attempts", attempts, 1),
    backoffMs: parseDuration(backoff, "retry.backoff"),
    maxBackoffMs: parseDuration(maxBackoff, "retry.maxBackoff"),
  };
}
