import type {
  ApprovalQueue,
  CallExecutor,
  Duration,
  EventLog,
  ExecutorOptions,
  InformationFlow,
  Listener,
  OnWaiting,
  RepeatOptions,
  ToolList,
  ToolResult,
  ToolSource,
  Tracer,
} from "@toolrig/core";
import {
  type ArtifactStore,
  type Checks,
  type Clock,
  declareOptions,
  type Journal,
  type OptionTable,
  option,
  repeatOptions,
  tracerOption,
} from "@toolrig/core/kit";
import { families } from "@toolrig/extract";
import type { Engine } from "../model/engine.ts";
import type { Message, ToolCallPart } from "../model/message.ts";
import { type LoopHooks, loopHooks } from "../run/hooks.ts";
import { type LifeOptions, lifeOptions } from "../run/life.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import type { Delivery } from "../run/steering.ts";
import { type SelectionOptions, selectionOptions } from "../select/offering.ts";

export interface AgentLoopOptions {
  engine: Engine;
  /** Tools, a tool set, or a source that is read anew every turn. Default: none. */
  tools?: ToolList | ToolSource;
  /** Options of the executor that is made for `tools`, or one to use: it must know the same tools. */
  executor?: CallExecutor | Omit<ExecutorOptions, "tools" | "hooks" | "mode">;
  system?: string;
  /** How many times results may be fed back to the model, at least 1. Default 20. */
  maxToolIterations?: number;
  /**
   * What becomes of a run whose calls wait for the world. "hold": it waits in this process. "return": it ends with status
   * "waiting" and goes on by `resume`; needs a journal ("suspend" is an earlier word for that). "continue": the model is told, goes
   * on, and is given each result when it comes. Default "hold".
   */
  onWaiting?: OnWaiting | "suspend";
  /** How the calls of one response run. Default: the executor's. */
  mode?: "parallel" | "sequential";
  /** Called with every result, in the order of the calls. Not awaited; what it throws is ignored. */
  onToolResult?(result: ToolResult, call: ToolCallPart): unknown;
  /** Gets every event of every run. */
  events?: EventLog<LoopEvent> | Listener<LoopEvent>;
  hooks?: LoopHooks;
  budgets?: Budgets;
  /** Where runs are written down so that they can be resumed. Default: nowhere. */
  journal?: Journal;
  /** How waiting messages are delivered: one a turn, or all at once. Default "one". */
  steering?: Delivery;
  followUps?: Delivery;
  /**
   * Whether calls written as text are found: true, false, or only in one envelope family. With `trust` they count as the
   * model's own, so that tools that write do not ask for that reason: for a model that is known to make all its calls in
   * this way. Default true.
   */
  extract?: boolean | { family: string; trust?: boolean };
  /**
   * When a model that repeats itself is told, and when it is refused. Default { advise: 3, refuse: 5 } for the same call
   * with the same result, `failure` { advise: 3, refuse: 4 } for the same call with the same failure of the model's own,
   * `tool` { advise: 4, refuse: 8 } for a tool that it calls wrongly.
   */
  repeats?: false | RepeatOptions;
  /**
   * Hears what users and outsiders say, and forgets a run that is over. Its guard belongs to the executor. Default: the one
   * whose guard is among those of the options in `executor`.
   */
  flow?: InformationFlow;
  /** Where calls of this loop wait for approval: what a run still asks counts as denied once it is steered. */
  approvals?: ApprovalQueue;
  /**
   * Retries of a failing model. Default { attempts: 3, backoff: "500ms", maxBackoff: "2m" }. A `retry-after` up to `maxBackoff` is
   * waited for; a longer one fails the run.
   */
  retry?: { attempts?: number; backoff?: Duration; maxBackoff?: Duration };
  /** How long the model may be silent. Default "5m". */
  idleTimeout?: Duration;
  /** How long the loop's own hooks and the journal have to answer, each; then the run fails. Default "60s". */
  answerWithin?: Duration;
  /** Offers a large set of tools through search. Default: all tools are offered. */
  selection?: SelectionOptions;
  /** Shows the model references in place of old, large results. Default: results stay as they are. */
  trimResults?: TrimOptions;
  /**
   * Follows runs and responses of the model, and the calls where the executor is made here, such as `telemetry()` of
   * @toolrig/telemetry. Default: nobody does.
   */
  tracer?: Tracer;
  clock?: Clock;
}

const extractOptions = declareOptions("extract", {
  family: option.oneOf(
    families.map(({ name }) => name),
    { required: true },
  ),
  trust: option.flag({ default: false }),
} satisfies OptionTable<Exclude<AgentLoopOptions["extract"], boolean | undefined>>);

export const modelRetry = declareOptions("retry", {
  attempts: option.limit(1, { default: 3, aliases: ["maxRetries", "retries", "maxAttempts"] }),
  backoff: option.duration({ default: "500ms", zero: true, long: true }),
  maxBackoff: option.duration({ default: "2m", zero: true, long: true }),
} satisfies OptionTable<NonNullable<AgentLoopOptions["retry"]>>);

/**
 * Old, large results are shown as references, which `read_result` reads: the loop offers it, and an executor of your own must have
 * it. Cuts are made in steps, so that between them what the model is shown only grows, and a provider's cache of it holds.
 */
export interface TrimOptions {
  /** The results of so many turns are shown whole, the latest ones. Default 5. */
  keepTurns?: number;
  /** A cut is made when the results of at least so many turns fall under it. Default: as many as are kept. */
  everyTurns?: number;
  /** And when it leaves out at least so many characters. Default 10,000. */
  savingAtLeast?: number;
  /** Results up to so many characters stay, at least 500. Default 2,000. */
  largerThan?: number;
  /** Where the whole results are kept. Default: the executor's. */
  artifacts?: ArtifactStore;
}

export interface Budgets {
  /**
   * Calls that may run; answers from memory are free. One beyond it is answered with `TOOL_BUDGET_EXCEEDED`, and the model
   * has one more turn, without tools, to conclude in; a call in that one ends the run.
   */
  calls?: number;
  /** Input and output tokens of all responses, failed ones included. The run fails beyond them, unless it has its answer. */
  tokens?: number;
  /** Wall time, without what the run waits for the world. The run is cancelled when it is over. */
  time?: Duration;
}

export const trimOptions = declareOptions("trimResults", {
  keepTurns: option.count(1, { default: 5 }),
  everyTurns: option.count(),
  savingAtLeast: option.count(0, { default: 10_000 }),
  largerThan: option.count(500, { default: 2_000 }),
  artifacts: option.part("a store of artifacts", ["put", "read"]),
} satisfies OptionTable<TrimOptions>);

const budgets = declareOptions("budgets", {
  calls: option.limit(0, { default: Number.POSITIVE_INFINITY }),
  tokens: option.limit(1, { default: Number.POSITIVE_INFINITY }),
  time: option.duration(),
} satisfies OptionTable<Budgets>);

export const agentLoopOptions = declareOptions("AgentLoop", {
  engine: option.part("an engine such as aiSdkEngine(model)", ["stream"], {
    required: true,
    aliases: ["model", "llm", "languageModel"],
  }),
  tools: option.anything("a list of tools, a tool set or a tool source"),
  executor: option.object("an executor, or options for one"),
  system: option.anyText({ aliases: ["instructions", "systemPrompt", "prompt"] }),
  maxToolIterations: option.limit(1, {
    default: 20,
    aliases: ["maxSteps", "maxTurns", "maxIterations", "stopWhen", "recursionLimit"],
  }),
  onWaiting: option.oneOf(["hold", "return", "continue", "suspend"], { default: "hold" }),
  mode: option.oneOf(["parallel", "sequential"], { aliases: ["toolExecution"] }),
  onToolResult: option.callback("a function", { aliases: ["onStepFinish", "onStepEnd"] }),
  events: option.checked("a listener or a log with append", checkEvents),
  hooks: option.group(loopHooks),
  budgets: option.group(budgets),
  journal: option.part("a journal", ["begin", "append", "header", "entries"], { aliases: ["checkpointer"] }),
  steering: option.oneOf(["one", "all"], { default: "one" }),
  followUps: option.oneOf(["one", "all"], { default: "one" }),
  extract: option.flagOr(option.group(extractOptions)),
  repeats: option.checked("false or limits of repeats", (field, value, checks) => {
    if (value !== false) repeatOptions.check(value, field, checks);
  }),
  flow: option.part("an InformationFlow", [
    "userSaid",
    "outsiderSaid",
    "offered",
    "recall",
    "join",
    "startedBy",
    "forget",
  ]),
  approvals: option.part("an ApprovalQueue", ["supersede"]),
  retry: option.group(modelRetry, { aliases: ["maxRetries"] }),
  idleTimeout: option.duration({ default: "5m" }),
  answerWithin: option.duration({ default: "60s" }),
  selection: option.group(selectionOptions),
  trimResults: option.group(trimOptions),
  tracer: tracerOption(),
  clock: option.clock(),
} satisfies OptionTable<AgentLoopOptions>);

function checkEvents(field: string, events: unknown, checks: Checks): void {
  if (typeof events !== "function") checks.has(field, events, ["append"], "a listener or a log with append");
}

export interface RunOptions extends LifeOptions {
  /** A conversation to continue. Repaired where it is not valid; not changed. */
  messages?: readonly Message[];
}

export const runOptions = declareOptions("a run", {
  ...lifeOptions.table,
  messages: option.listOf("a list of messages", option.object("a message")),
} satisfies OptionTable<RunOptions>);
