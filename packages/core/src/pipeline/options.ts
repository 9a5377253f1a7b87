import { type CallEvent, type EventLog, EventStream, type Listener } from "../call/events.ts";
import type { Principal } from "../call/principal.ts";
import type { RedactOptions, Redactor } from "../call/redact.ts";
import type { Tracer } from "../call/trace.ts";
import type { Clock } from "../clock.ts";
import type { Approver } from "../guards/approval/approver.ts";
import type { Guard } from "../guards/guard.ts";
import type { Hooks } from "../guards/hooks.ts";
import { check, settingsOf } from "../options/check.ts";
import type { Duration } from "../options/duration.ts";
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

const SETTINGS = settingsOf<ExecutorOptions>({
  tools: true,
  allow: true,
  timeout: true,
  answerWithin: true,
  mode: true,
  capabilities: true,
  concurrency: true,
  hooks: true,
  guards: true,
  approve: true,
  waits: true,
  mayAnswer: true,
  events: true,
  store: true,
  ledger: true,
  onUnrecorded: true,
  artifacts: true,
  maxContent: true,
  onGuess: true,
  onUnavailable: true,
  redact: true,
  tracer: true,
  clock: true,
});
const HOOKS = settingsOf<Hooks>({ judgesEdits: true, beforeCall: true, afterCall: true });

/** Throws `OPTION_INVALID`, naming the option. */
export function checkOptions(options: ExecutorOptions): void {
  check.known("An executor", options, SETTINGS);
  const { mode, onGuess, onUnavailable, onUnrecorded, timeout, answerWithin, concurrency } = options;
  check.oneOf("mode", mode, ["parallel", "sequential"]);
  check.oneOf("onGuess", onGuess, ["refuse", "ask"]);
  check.oneOf("onUnavailable", onUnavailable, ["report", "try"]);
  check.oneOf("onUnrecorded", onUnrecorded, ["refuse", "run"]);
  check.timeout("timeout", timeout);
  check.timeout("answerWithin", answerWithin);
  check.count("concurrency", concurrency);
  check.count("maxContent", options.maxContent, 100);
  if (options.capabilities !== undefined)
    check.strings("capabilities", options.capabilities, 'a list of capabilities such as ["network"]');
  checkHooks(options.hooks);
  checkParts(options);
}

function checkHooks(hooks: Hooks | undefined): void {
  check.known("hooks", hooks, HOOKS);
  const { beforeCall, afterCall } = hooks ?? {};
  check.flag("hooks.judgesEdits", hooks?.judgesEdits);
  if (beforeCall !== undefined) check.function("hooks.beforeCall", beforeCall);
  if (afterCall !== undefined) check.function("hooks.afterCall", afterCall);
}

const WAITS = 'a store of waits, such as openStore("rig.db").waits';

/** What others made: guards, stores, listeners. */
function checkParts({
  guards = [],
  approve,
  waits,
  mayAnswer,
  events,
  store,
  ledger,
  artifacts,
  tracer,
  clock,
}: ExecutorOptions): void {
  check.list("guards", guards, "a list of guards");
  for (const [index, guard] of guards.entries()) checkGuard(`guards[${index}]`, guard);
  if (approve !== undefined)
    check.function("approve", approve, "a function, such as the approver of an ApprovalQueue");
  check.has("waits", waits, ["add", "get", "revise", "list", "due", "counts"], WAITS);
  if (mayAnswer !== undefined) check.function("mayAnswer", mayAnswer);
  if (typeof events !== "function" && !(events instanceof EventStream))
    check.has("events", events, ["append"], "a listener, a log with append, or an EventStream");
  check.has(
    "store",
    store,
    ["store"],
    'a store of records, such as openStore("rig.db").records (rig() takes a path)',
  );
  check.has("ledger", ledger, ["intend", "complete", "fail", "unknown", "withdraw", "open"], "a ledger");
  check.has("artifacts", artifacts, ["put", "write", "read", "bytes"], "a store of artifacts");
  check.has("tracer", tracer, ["calls", "run", "inference"], "a tracer, such as telemetry()");
  check.has("clock", clock, ["now", "set", "clear"], "a clock");
}

function checkGuard(field: string, guard: unknown): void {
  check.object(field, guard, "a guard with a name");
  const { name, before, after, readBy, judgesEdits, hearsLast } = guard as Partial<Guard>;
  if (typeof name !== "string") throw check.invalid(field, "a guard with a name", guard);
  check.flag(`${field}.judgesEdits`, judgesEdits);
  check.flag(`${field}.hearsLast`, hearsLast);
  if (before !== undefined) check.function(`${field}.before`, before);
  if (after !== undefined) check.function(`${field}.after`, after);
  if (readBy !== undefined) check.function(`${field}.readBy`, readBy);
}
