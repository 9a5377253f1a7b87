import { type CallEvent, type EventLog, EventStream, type Listener } from "../call/events.ts";
import type { Principal } from "../call/principal.ts";
import { type RedactOptions, type Redactor, redactOption } from "../call/redact.ts";
import { type Tracer, tracerOption } from "../call/trace.ts";
import type { Clock } from "../clock.ts";
import type { Approver } from "../guards/approval/approver.ts";
import { type Guard, guardOption } from "../guards/guard.ts";
import { type Hooks, hooksOptions } from "../guards/hooks.ts";
import type { Checks } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import {
  anything,
  callback,
  checked,
  clock,
  count,
  duration,
  group,
  listOf,
  oneOf,
  part,
  strings,
} from "../options/kinds.ts";
import type { ToolList, ToolSource } from "../source/source.ts";
import type { ArtifactStore } from "../stores/artifacts.ts";
import type { Ledger } from "../stores/ledger.ts";
import type { CallStore } from "../stores/records.ts";
import type { Wait, WaitStore } from "../stores/waits.ts";

export interface ExecutorOptions {
  /** Tools, a tool set, or a source that is read anew for every call. Default: the process-wide tools. */
  tools?: ToolList | ToolSource;
  /** Names of tools and providers that may be called. Empty or absent: all. Malformed: none. */
  allow?: readonly string[];
  /** Limit of one attempt for tools that declare none. Default "60s". */
  timeout?: Duration;
  /** How the calls of a batch run. Default "parallel". */
  mode?: "parallel" | "sequential";
  /** What tools may use, such as "network". A tool that requires more is unavailable. Default: everything. */
  capabilities?: readonly string[];
  /** How many calls run at once in all. Default: no limit. */
  concurrency?: number;
  hooks?: Hooks;
  /** Asked in this order, after the hooks. */
  guards?: readonly Guard[];
  /** Answers for calls that need approval. Without one they are rejected. */
  approve?: Approver;
  /** Where it is kept what calls wait for. Default: in memory. A durable store makes waiting calls survive a restart. */
  waits?: WaitStore;
  /** Who may answer questions of tools, and complete calls without a token. Default: everybody. */
  mayAnswer?: (by: Principal, wait: Wait) => boolean;
  /** Gets every event: a log, a listener, or a stream to share. */
  events?: EventLog | Listener<CallEvent> | EventStream;
  /** Keeps a record of every call. */
  store?: CallStore;
  /** Where intents and outcomes of side effects are kept. Default: in memory. */
  ledger?: Ledger;
  /** What happens to a call with side effects when the ledger cannot take its intent. Default "refuse". */
  onUnrecorded?: "refuse" | "run";
  /** Where output over the cap goes. Default: in memory. */
  artifacts?: ArtifactStore;
  /** The cap on a result's text, in characters. Default 50,000. */
  maxContent?: number;
  /**
   * How long hooks, guards, validators and stores have to answer about one call, each. What does not answer is treated as
   * what fails: a guard denies, a ledger cannot record. An approver has as long as its question is open. Default "60s".
   */
  answerWithin?: Duration;
  /**
   * What happens to calls of tools with side effects whose arguments could be read only by guessing: refused, with what
   * was understood, so that the model confirms it; or asked about as for approval. Default "refuse".
   */
  onGuess?: "refuse" | "ask";
  /** What happens to calls of a tool that says it is unavailable. Default "report". */
  onUnavailable?: "report" | "try";
  redact?: RedactOptions | Redactor;
  /** Follows the calls and the code of their tools, such as `telemetry()` of @toolrig/telemetry. Default: nobody does. */
  tracer?: Tracer;
  clock?: Clock;
}

/** Adding an option: its member above with its comment, and its line here. Rigs, config files, workers and plans have it, too. */
export const executorOptions = declareOptions("Executor", {
  tools: anything("a list of tools, a tool set or a tool source"),
  allow: anything("a list of names of tools and providers"),
  timeout: duration({ default: "60s", aliases: ["timeoutMs", "toolTimeout"] }),
  mode: oneOf(["parallel", "sequential"], { default: "parallel", aliases: ["toolExecution"] }),
  capabilities: strings('a list of capabilities such as ["network"]'),
  concurrency: count(1, { aliases: ["maxConcurrency"] }),
  hooks: group(hooksOptions),
  guards: listOf("a list of guards", guardOption()),
  approve: callback("a function, such as the approver of an ApprovalQueue", {
    aliases: ["needsApproval", "onApproval"],
  }),
  waits: part('a store of waits, such as openStore("rig.db").waits', [
    "add",
    "get",
    "revise",
    "list",
    "due",
    "counts",
  ]),
  mayAnswer: callback(),
  events: checked("a listener, a log with append, or an EventStream", checkEvents),
  store: part('a store of records, such as openStore("rig.db").records (rig() takes a path)', ["store"]),
  ledger: part("a ledger", ["intend", "complete", "fail", "unknown", "withdraw", "open"]),
  onUnrecorded: oneOf(["refuse", "run"], { default: "refuse" }),
  artifacts: part("a store of artifacts", ["put", "write", "read", "bytes"]),
  maxContent: count(100, { default: 50_000 }),
  answerWithin: duration({ default: "60s" }),
  onGuess: oneOf(["refuse", "ask"], { default: "refuse" }),
  onUnavailable: oneOf(["report", "try"], { default: "report" }),
  redact: redactOption(),
  tracer: tracerOption(),
  clock: clock(),
} satisfies OptionTable<ExecutorOptions>);

function checkEvents(field: string, events: unknown, checks: Checks): void {
  if (typeof events === "function" || events instanceof EventStream) return;
  checks.has(field, events, ["append"], "a listener, a log with append, or an EventStream");
}
