import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { CallExecutor } from "../call/call-executor.ts";
import { type CallEvent, type EventLog, EventStream, type Listener } from "../call/events.ts";
import { type RedactOptions, Redactor } from "../call/redact.ts";
import type { ToolResult } from "../call/result.ts";
import { type Clock, systemClock } from "../clock.ts";
import { ToolrigError } from "../failure/failure.ts";
import type { Approver } from "../guards/approval/approver.ts";
import type { Guard } from "../guards/guard.ts";
import { type Hooks, hooksGuard } from "../guards/hooks.ts";
import { newId } from "../ids.ts";
import { type Duration, MAX_TIMER_MS, parseDuration } from "../options/duration.ts";
import { type RecordingExecutor, recording } from "../recording/recording.ts";
import { compileAllowlist } from "../source/allowlist.ts";
import { withCapabilities } from "../source/capabilities.ts";
import { processTools } from "../source/global-tools.ts";
import { Registry } from "../source/registry.ts";
import { isToolSource, type ToolList, type ToolSource } from "../source/source.ts";
import { type ArtifactStore, MemoryArtifactStore } from "../stores/artifacts.ts";
import { type Ledger, MemoryLedger } from "../stores/ledger.ts";
import type { CallStore } from "../stores/records.ts";
import { Counters, type CounterValues } from "./counters.ts";
import { LockTable } from "./execute/lock-table.ts";
import { Memo } from "./execute/memo.ts";
import { Running } from "./execute/running.ts";
import { Semaphore } from "./execute/semaphore.ts";
import { type Health, Lifecycle } from "./lifecycle.ts";
import { Pipeline } from "./pipeline.ts";
import type { System } from "./services.ts";

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
  /** What happens to calls of a tool that says it is unavailable. Default "report". */
  onUnavailable?: "report" | "try";
  redact?: RedactOptions | Redactor;
  clock?: Clock;
}

/** Takes calls, returns results. Whatever happens to a call, its promise resolves with exactly one result. */
export class Executor implements CallExecutor {
  readonly events: EventStream;
  readonly artifacts: ArtifactStore;
  readonly #system: System;
  readonly #pipeline: Pipeline;
  readonly #life: Lifecycle;
  readonly #recording: RecordingExecutor | undefined;

  constructor(options: ExecutorOptions = {}) {
    this.#system = systemOf(options, (call, callOptions, parent) =>
      this.#pipeline.call(call, callOptions, parent),
    );
    this.#pipeline = new Pipeline(this.#system);
    this.#life = new Lifecycle(this.#system);
    this.events = this.#system.events;
    this.artifacts = this.#system.artifacts;
    const { events, store } = options;
    if (typeof events === "function") this.events.on(events);
    else if (events !== undefined && !(events instanceof EventStream))
      this.events.on((event) => events.append(event));
    if (store !== undefined) this.#recording = recording(this, store, { redactor: this.#system.redactor });
  }

  /** Never rejects. */
  call(call: ToolCall, options: CallOptions = {}): Promise<ToolResult> {
    checkSignal(options.signal);
    return this.#pipeline.call(asCall(call), options, undefined);
  }

  /** Results in the order of the calls. Never rejects. */
  batch(calls: readonly ToolCall[], options: BatchOptions = {}): Promise<ToolResult[]> {
    checkSignal(options.signal);
    if (!Array.isArray(calls))
      throw new ToolrigError("OPTION_INVALID", `calls must be a list of calls; got ${typeof calls}.`);
    return this.#pipeline.batch(calls.map(asCall), options);
  }

  /** Takes calls again after `drain` or `stop`. A new executor takes them at once. */
  start(): void {
    this.#life.start();
  }

  /** Takes no more calls and waits for those under way. Resolves false when some still run after `timeout`. */
  async drain(timeout: Duration = "30s"): Promise<boolean> {
    const drained = await this.#life.drain(parseDuration(timeout, "timeout"));
    await this.#recording?.flush();
    return drained;
  }

  /** Takes no more calls and cancels those under way; they are answered as cancelled. */
  async stop(timeout: Duration = "5s"): Promise<boolean> {
    const stopped = await this.#life.stop(parseDuration(timeout, "timeout"));
    await this.#recording?.flush();
    return stopped;
  }

  health(): Health & CounterValues & { recordsDropped: number; listenerFaults: number } {
    return {
      ...this.#life.health(),
      ...this.#system.counters.values(),
      recordsDropped: this.#recording?.dropped ?? 0,
      listenerFaults: this.events.faults,
    };
  }

  /** Drops what pure tools remembered for a run that is over. */
  forget(runId: string): void {
    this.#system.memo.forget(runId);
  }
}

function systemOf(options: ExecutorOptions, call: System["call"]): System {
  const { tools, allow, events, redact, guards = [], hooks, concurrency, maxContent = 50_000 } = options;
  checkOptions(options);
  const timeoutMs = parseDuration(options.timeout ?? "60s", "timeout");
  if (timeoutMs <= 0 || timeoutMs > MAX_TIMER_MS) {
    throw new ToolrigError(
      "OPTION_INVALID",
      `timeout must be above 0 and up to 24 days; got ${String(options.timeout)}.`,
    );
  }
  const given = tools === undefined ? processTools : isToolSource(tools) ? tools : new Registry(tools);
  const source = options.capabilities === undefined ? given : withCapabilities(given, options.capabilities);
  const clock = options.clock ?? systemClock;
  const chain: Guard[] = [...(hooks === undefined ? [] : [hooksGuard(hooks)]), ...guards];
  return {
    source,
    allow: compileAllowlist(allow),
    onUnavailable: options.onUnavailable ?? "report",
    timeoutMs,
    mode: options.mode ?? "parallel",
    maxContent,
    guards: chain,
    approver: options.approve,
    clock,
    events: events instanceof EventStream ? events : new EventStream(),
    redactor: redact instanceof Redactor ? redact : new Redactor(redact),
    ledger: options.ledger ?? new MemoryLedger(),
    onUnrecorded: options.onUnrecorded ?? "refuse",
    artifacts: options.artifacts ?? new MemoryArtifactStore(),
    memo: new Memo(),
    locks: new LockTable(),
    slots: concurrency === undefined ? undefined : new Semaphore(concurrency),
    counters: new Counters(),
    running: new Running(clock),
    stopping: new AbortController(),
    closed: undefined,
    call,
  };
}

function checkOptions(options: ExecutorOptions): void {
  const { mode, onUnavailable, onUnrecorded, concurrency, maxContent, guards } = options;
  const oneOf = (field: string, value: unknown, choices: readonly string[]) => {
    if (value === undefined || choices.includes(value as string)) return;
    throw new ToolrigError(
      "OPTION_INVALID",
      `${field} must be ${choices.map((each) => `"${each}"`).join(" or ")}; got ${String(value)}.`,
    );
  };
  const count = (field: string, value: number | undefined, least: number) => {
    if (value === undefined || (Number.isInteger(value) && value >= least)) return;
    throw new ToolrigError(
      "OPTION_INVALID",
      `${field} must be a whole number of at least ${least}; got ${String(value)}.`,
    );
  };
  oneOf("mode", mode, ["parallel", "sequential"]);
  oneOf("onUnavailable", onUnavailable, ["report", "try"]);
  oneOf("onUnrecorded", onUnrecorded, ["refuse", "run"]);
  count("concurrency", concurrency, 1);
  count("maxContent", maxContent, 100);
  for (const [index, guard] of (guards ?? []).entries()) {
    if (typeof guard?.name === "string") continue;
    throw new ToolrigError("OPTION_INVALID", `guards[${index}] must be a guard with a name.`);
  }
}

/** A controller instead of its signal would be noticed only once the tool runs. */
function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === "function") return;
  throw new ToolrigError("OPTION_INVALID", "signal must be an AbortSignal, such as controller.signal.");
}

/** A call from outside may lack anything, or throw when read: what is missing is filled in so that it can be answered. */
function asCall(call: ToolCall): ToolCall {
  try {
    if (typeof call?.id === "string" && typeof call.name === "string") {
      // Read here, where a getter that throws is caught; the stages may then rely on it.
      void call.arguments;
      return call;
    }
    const given: Partial<ToolCall> = typeof call === "object" && call !== null ? call : {};
    return {
      ...given,
      id: given.id === undefined ? newId("call") : String(given.id),
      name: String(given.name ?? ""),
    };
  } catch {
    return { id: newId("call"), name: "" };
  }
}
