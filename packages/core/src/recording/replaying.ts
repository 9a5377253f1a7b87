import type { BatchOptions, CallOptions, Refusal, ToolCall } from "../call/call.ts";
import { callStart, emitCallEvent } from "../call/call-event.ts";
import type { CallFact } from "../call/events.ts";
import { failedResult } from "../call/make-result.ts";
import { Redactor, redactorOption } from "../call/redact.ts";
import type { ToolResult } from "../call/result.ts";
import { canonicalJson } from "../canonical.ts";
import { type Clock, sleep, systemClock } from "../clock.ts";
import { defined } from "../defined.ts";
import type { FailureInput } from "../failure/failure.ts";
import type { InformationFlow } from "../guards/flow/flow.ts";
import { newId } from "../ids.ts";
import { check } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import { callback, checked, clock as clockOption, duration, oneOf, part } from "../options/kinds.ts";
import { toPlain } from "../plain.ts";
import type { CallExecutor } from "../source/call-executor.ts";
import type { ToolSource } from "../source/source.ts";
import type { CallRecord } from "../stores/records.ts";
import type { ToolDefinition } from "../tool/definition.ts";

/** What an evaluation does to one call instead of, or before, answering it. */
export interface Injection {
  /** The call fails like this. */
  failure?: FailureInput;
  /** The answer takes this much longer. */
  delay?: Duration;
  /** The call is never answered: its promise rejects with `ReplayCrash`, as if the process had ended there. */
  crash?: boolean;
}

export interface ReplayOptions {
  /**
   * "strict": calls must come in the recorded order with the recorded arguments; any other fails. "lenient": a call is
   * answered by the first unused record like it, and one without is run for real. Default "strict".
   */
  mode?: "strict" | "lenient";
  /** How long answers take. Default "none". */
  latency?: "none" | "recorded" | Duration;
  /** Asked for every call; `index` counts from 0. */
  inject?: (call: ToolCall, index: number) => Injection | undefined;
  /** The one that was used for the recording: arguments are compared without secrets. Default: the built-in rules. */
  redactor?: Redactor;
  /** The executor's guard: it is told of what is answered from the recording, as of what runs. */
  flow?: InformationFlow;
  clock?: Clock;
}

const latency = duration({ zero: true });

const replayOptions = declareOptions("replaying", {
  mode: oneOf(["strict", "lenient"], { default: "strict" }),
  latency: checked(`"none", "recorded" or ${latency.allowed}`, (field, value, checks) => {
    if (value !== "none" && value !== "recorded") latency.check(field, value, checks);
  }),
  inject: callback(),
  redactor: redactorOption(),
  flow: part("an InformationFlow", ["recall"]),
  clock: clockOption(),
} satisfies OptionTable<ReplayOptions>);

export interface ReplayingExecutor extends CallExecutor {
  /** Recorded calls that no call has used yet. */
  readonly remaining: readonly CallRecord[];
}

/** The end of a process, as an evaluation asked for it. */
export class ReplayCrash extends Error {
  constructor(call: ToolCall) {
    super(`The replay was told to crash at ${call.name} (${call.id}).`);
    this.name = "ReplayCrash";
  }
}

/**
 * An executor that answers from a recording instead of running tools. Calls that tools made are part of their answers.
 *
 * @example
 * ```ts
 * import { Executor, MemoryCallStore, replaying, tool } from "@toolrig/core";
 *
 * let rolls = 0;
 * const input = { type: "object" } as const;
 * const roll = tool({ name: "roll", description: "Roll a die", input, execute: () => ++rolls });
 * const store = new MemoryCallStore();
 * const executor = new Executor({ tools: [roll], store });
 * await executor.call({ id: "call_1", name: "roll" });
 * await executor.drain();
 *
 * const replay = replaying(executor, store.records());
 * console.log((await replay.call({ id: "call_2", name: "roll" })).value, rolls); //=> 1 1
 * ```
 */
export function replaying(
  executor: CallExecutor,
  recording: Iterable<CallRecord>,
  options: ReplayOptions = {},
): ReplayingExecutor {
  replayOptions.check(options);
  return new Replay(executor, recording, options);
}

class Replay implements ReplayingExecutor {
  readonly #executor: CallExecutor;
  readonly #options: ReplayOptions;
  readonly #redactor: Redactor;
  readonly #clock: Clock;
  readonly #fixedMs: number | "recorded";
  #unused: CallRecord[];
  #count = 0;

  constructor(executor: CallExecutor, recording: Iterable<CallRecord>, options: ReplayOptions) {
    const { latency = "none" } = options;
    check.has("executor", executor, ["call", "batch"], "an executor");
    if (executor === undefined) throw check.invalid("executor", "an executor", executor);
    if (typeof recording?.[Symbol.iterator] !== "function")
      throw check.invalid("recording", "the records of a run, such as store.records()", recording);
    this.#executor = executor;
    this.#options = options;
    this.#redactor = options.redactor ?? new Redactor();
    this.#clock = options.clock ?? systemClock;
    this.#fixedMs =
      latency === "recorded" ? latency : latency === "none" ? 0 : parseDuration(latency, "latency");
    const records = [...recording];
    const recorded = new Set(records.map(({ executionId }) => executionId));
    // What a recorded call made, or a run that it started, comes with its result.
    this.#unused = records.filter(({ parentId }) => parentId === undefined || !recorded.has(parentId));
  }

  get events() {
    return this.#executor.events;
  }

  readonly refuses = true;

  get tools(): ToolSource | undefined {
    return this.#executor.tools;
  }

  definitions(): readonly ToolDefinition[] {
    return this.#executor.definitions?.() ?? [];
  }

  get remaining(): readonly CallRecord[] {
    return this.#unused;
  }

  async call(call: ToolCall, options: CallOptions = {}): Promise<ToolResult> {
    return this.#answer(call, options, this.#take(call, options.refusal));
  }

  /** What has no record runs for real, together, as the batch that it is. */
  async batch(calls: readonly ToolCall[], batchOptions: BatchOptions = {}): Promise<ToolResult[]> {
    const { mode, executionIds, refusals, signals, ...options } = batchOptions;
    const taken = calls.map((call, index) => ({
      call,
      executionId: executionIds?.[index],
      signal: signals?.[index] ?? options.signal,
      taken: this.#take(call, refusals?.[index]),
    }));
    const real = taken.filter((each) => this.#isReal(each.taken));
    for (const each of real) await this.#delay(each.call, each, each.taken);
    const ran = this.#executor.batch(
      real.map(({ call }) => call),
      {
        ...options,
        ...defined({ mode }),
        executionIds: real.map(({ executionId }) => executionId),
        refusals: real.map((each) => each.taken.refusal),
        signals: real.map(({ signal }) => signal),
      },
    );
    const results = new Map((await ran).map((result, index) => [real[index], result]));
    return Promise.all(
      taken.map((each) => {
        const { call, executionId, signal } = each;
        const own: CallOptions = { ...options, ...defined({ signal }) };
        if (executionId !== undefined) own.executionId = executionId;
        return results.get(each) ?? this.#answer(call, own, each.taken);
      }),
    );
  }

  forget(runId: string): void {
    this.#executor.forget?.(runId);
  }

  /** Decided at once and in order, however long the answers then take. */
  #take(call: ToolCall, refusal: Refusal | undefined): Taken {
    const injection = refusal === undefined ? this.#inject(call) : {};
    const strict = this.#options.mode !== "lenient";
    const candidates = strict ? this.#unused.slice(0, 1) : this.#unused;
    const record = candidates.find((each) => this.#isLike(call, each));
    if (record !== undefined) this.#unused = this.#unused.filter((each) => each !== record);
    const remembered = refusal?.unlessRemembered === true && record?.result.cached === true;
    if (refusal !== undefined && !remembered) return { injection, record, refusal };
    return { injection, record, expected: record === undefined && strict ? this.#unused[0] : undefined };
  }

  #inject(call: ToolCall): Injection {
    const injection = this.#options.inject?.(call, this.#count) ?? {};
    this.#count += 1;
    return injection;
  }

  #isLike(call: ToolCall, { name, rawArguments, args }: CallRecord): boolean {
    if (call.name !== name) return false;
    const given = comparableText(this.#redactor.value(parsed(call.arguments)));
    return given === comparableText(parsed(rawArguments)) || given === comparableText(args);
  }

  async #answer(call: ToolCall, options: CallOptions, taken: Taken): Promise<ToolResult> {
    await this.#delay(call, options, taken);
    return this.#isReal(taken) ? this.#executor.call(call, options) : this.#replayed(call, options, taken);
  }

  #isReal({ record, injection, refusal }: Taken): boolean {
    if (record !== undefined || this.#options.mode !== "lenient") return false;
    return refusal === undefined ? injection.failure === undefined : this.#executor.refuses === true;
  }

  async #delay(
    call: ToolCall,
    { signal }: { signal?: AbortSignal | undefined },
    { injection, record }: Taken,
  ): Promise<void> {
    const delay = injection.delay === undefined ? 0 : parseDuration(injection.delay, "delay");
    const latency = this.#fixedMs === "recorded" ? (record?.durationMs ?? 0) : this.#fixedMs;
    if (delay + latency > 0) await sleep(this.#clock, delay + latency, signal);
    if (injection.crash === true) throw new ReplayCrash(call);
  }

  #replayed(call: ToolCall, options: CallOptions, taken: Taken): ToolResult {
    const startedAt = this.#clock.now();
    const executionId = options.executionId ?? newId("exec");
    const emit = (fact: CallFact) =>
      emitCallEvent(this.events, this.#clock.now(), { id: executionId, call, options }, fact);
    emit(callStart(call, options, this.events));
    const result = resultOf(call, executionId, options, taken);
    const { record } = taken;
    // What was answered otherwise is not what the recorded tool said.
    if (result.attempts > 0 || result.cached === true)
      this.#options.flow?.recall(options.runId ?? "", result);
    const { args = parsed(call.arguments), version, definitionHash } = record ?? {};
    emit({
      type: "call.end",
      result,
      args,
      ...defined({ version, definitionHash }),
      startedAt,
      endedAt: this.#clock.now(),
    });
    return result;
  }
}

interface Taken {
  injection: Injection;
  record: CallRecord | undefined;
  /** The caller has decided that the call must not run. */
  refusal?: Refusal;
  /** What a strict replay would have answered next. */
  expected?: CallRecord | undefined;
}

function resultOf(
  call: ToolCall,
  executionId: string,
  { signal }: CallOptions,
  { injection, record, refusal, expected }: Taken,
): ToolResult {
  if (signal?.aborted === true) {
    const message = "The call was cancelled before it was answered from the recording.";
    return failedResult(call, executionId, { code: "TOOL_CANCELLED", message });
  }
  if (refusal !== undefined) return failedResult(call, executionId, refusal);
  if (injection.failure !== undefined) return failedResult(call, executionId, injection.failure, 1);
  if (record === undefined) return failedResult(call, executionId, mismatch(call, expected), 1);
  return { ...record.result, callId: call.id, executionId, name: call.name };
}

function mismatch(call: ToolCall, expected: CallRecord | undefined): FailureInput {
  const received = { name: call.name, arguments: parsed(call.arguments) };
  if (expected === undefined) {
    const message = `The recording is over: it holds no further call, and ${call.name} was called.`;
    return { kind: "fatal", message, details: { received } };
  }
  return {
    kind: "fatal",
    message: `The recording goes on with ${expected.name}, but ${call.name} was called${call.name === expected.name ? " with other arguments" : ""}.`,
    details: { expected: { name: expected.name, arguments: expected.args }, received },
  };
}

/** Arguments that mean the same are the same, whether a model wrote them or a provider parsed them. */
function parsed(raw: unknown): unknown {
  if (typeof raw !== "string") return raw ?? {};
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function comparableText(value: unknown): string {
  return canonicalJson(toPlain(value)) ?? "";
}
