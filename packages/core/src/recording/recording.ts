import type { CallEvent } from "../call/events.ts";
import { Redactor, redactorOption } from "../call/redact.ts";
import type { ToolResult } from "../call/result.ts";
import { check } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { MAX_TIMER_MS } from "../options/duration.ts";
import { callback, count, that } from "../options/kinds.ts";
import type { CallExecutor } from "../source/call-executor.ts";
import type { CallRecord, CallStore, LateRecord } from "../stores/records.ts";
import { RecordBuffer } from "./record-buffer.ts";
import { RecordBuilder } from "./record-builder.ts";

export interface RecordingOptions {
  /** How many records may wait for the store before new ones are dropped. Default 10,000. */
  capacity?: number;
  /** How many records the store gets at once, and up to 1,000 while more than twice as many wait. Default 100. */
  batchSize?: number;
  /** How long a record may wait for others to be stored with, in milliseconds. Default 25. */
  lingerMs?: number;
  redactor?: Redactor;
  /** Told of every loss, with the count so far. */
  onLoss?: (loss: { dropped: number; reason: string }) => void;
}

const recordingOptions = declareOptions("recording", {
  capacity: count(1, { default: 10_000 }),
  batchSize: count(1, { default: 100 }),
  lingerMs: that(
    "milliseconds of at least 0",
    (value) => Number(value) >= 0 && Number(value) <= MAX_TIMER_MS,
    {
      default: 25,
    },
  ),
  redactor: redactorOption(),
  onLoss: callback(),
} satisfies OptionTable<RecordingOptions>);

/**
 * An executor whose calls are recorded. Recording never delays or fails a call. What a store fails to take is tried again, with
 * exponential backoff; what is lost is counted.
 */
export interface RecordingExecutor extends CallExecutor {
  /** Records that will never reach the store: the buffer was full, or the store failed until the end. */
  readonly dropped: number;
  /** Records waiting for the store. */
  readonly pending: number;
  /** Why records wait; undefined while the store takes them. */
  readonly problem: string | undefined;
  /** Resolves when everything recorded so far is stored or dropped, or the store has failed once more: then the rest waits. */
  flush(): Promise<void>;
  /** Flushes, a few times if the store fails, and counts what is left as dropped. */
  settle(): Promise<void>;
  /** Settles, stops recording and closes the store. */
  close(): Promise<void>;
}

/**
 * Records every call of an executor. `new Executor({ store })` does it for its own; this is for executors of other kinds.
 *
 * @example
 * ```ts
 * import { Executor, MemoryCallStore, recording, tool } from "@toolrig/core";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const store = new MemoryCallStore();
 * const executor = recording(new Executor({ tools: [ping] }), store);
 * await executor.call({ id: "call_1", name: "ping" }, { principal: { id: "ada" } });
 * await executor.flush();
 * const [record] = store.records();
 * console.log(record?.name, record?.principal?.id); //=> ping ada
 * ```
 */
export function recording(
  executor: CallExecutor,
  store: CallStore,
  options: RecordingOptions = {},
): RecordingExecutor {
  if (store === undefined) throw check.invalid("store", "a store of records", store);
  check.has("store", store, ["store"], 'a store of records, such as openStore("rig.db").records');
  check.has("executor", executor, ["call", "batch"], "an executor");
  const recorder = new Recorder(store, options);
  const stop = executor.events.on((event) => recorder.observe(event));
  const { definitions } = executor;
  return {
    events: executor.events,
    get tools() {
      return executor.tools;
    },
    refuses: executor.refuses,
    get waits() {
      return executor.waits;
    },
    ...(definitions !== undefined && { definitions: () => definitions.call(executor) }),
    call: (call, callOptions) => executor.call(call, callOptions),
    batch: (calls, batchOptions) => executor.batch(calls, batchOptions),
    forget: (runId) => executor.forget?.(runId),
    get dropped() {
      return recorder.buffer.dropped;
    },
    get pending() {
      return recorder.buffer.pending;
    },
    get problem() {
      return recorder.buffer.problem;
    },
    flush: () => recorder.buffer.flush(),
    settle: () => recorder.buffer.end(),
    async close() {
      stop();
      await recorder.end();
      await store.close?.();
    },
  };
}

class Recorder {
  readonly buffer: RecordBuffer;
  /** By the start of the call, where it is known: two calls may be under way with one execution id. */
  readonly #building = new Map<number | string, RecordBuilder>();

  constructor(store: CallStore, options: RecordingOptions) {
    const { onLoss, redactor = new Redactor(), ...sizes } = recordingOptions.withDefaults(options);
    this.buffer = new RecordBuffer(store, { ...sizes, redactor, onLoss });
  }

  observe(event: CallEvent): void {
    if (event.type === "call.late") {
      const { type: _, seq: __, ...late } = event;
      this.buffer.addLate(late);
      return;
    }
    const call = event.startSeq ?? event.executionId;
    let builder = this.#building.get(call);
    // Of a parked call nothing stays here: whoever goes on with it brings what was told of it.
    if (event.type === "call.waiting" && event.parked) this.#building.delete(call);
    if (event.type === "call.start" || (event.type === "call.resumed" && event.story !== undefined)) {
      builder = new RecordBuilder();
      this.#building.set(call, builder);
    }
    if (builder === undefined) {
      if (event.type === "call.end") this.buffer.lose(1, "its start was not seen");
      return;
    }
    const recorded = builder.result;
    const record = builder.add(event);
    if (record === undefined) return;
    if (event.type === "call.end") this.#building.delete(call);
    // What is over was recorded when it happened.
    if (record.result.replayed === true) return;
    if (recorded === undefined) this.buffer.add(record, event.type === "call.settled");
    else if (!this.buffer.close(record)) this.#amend(record, event.at, recorded, builder.saidSince);
  }

  /** A record that is stored stays as it is. What guards said and made of its result afterwards is kept beside it. */
  #amend(record: CallRecord, at: number, recorded: ToolResult, verdicts: CallRecord["verdicts"]): void {
    const isChanged = shownOf(recorded) !== shownOf(record.result);
    if (isChanged) this.buffer.addLate(amendment(record, at, recorded, CHANGED, verdicts));
    else if (verdicts.length > 0) this.buffer.addLate(amendment(record, at, recorded, SAID, verdicts));
  }

  /** Ends the buffer and counts the calls whose end will not be seen. */
  async end(): Promise<void> {
    const unfinished = this.#building.size;
    if (unfinished > 0) this.buffer.lose(unfinished, "recording was closed before the call ended");
    this.#building.clear();
    await this.buffer.end();
  }
}

function shownOf({ isError, content }: ToolResult): string {
  return JSON.stringify([isError, content]);
}

const CHANGED = "What the caller got differs: guards or limits changed the result after it was recorded.";
const SAID = "Guards spoke about the result after it was recorded.";

function amendment(
  record: CallRecord,
  at: number,
  recorded: ToolResult,
  message: string,
  verdicts: CallRecord["verdicts"],
): LateRecord {
  const { executionId, callId, name, runId, requestId, stepName, parentId, result } = record;
  const ids = { runId, requestId, stepName, parentId };
  const known = Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
  const afterMs = Math.max(0, result.durationMs - recorded.durationMs);
  const { isError, content: value } = result;
  const said = verdicts.length > 0 && { verdicts };
  return { executionId, callId, name, ...known, at, afterMs, isError, message, value, ...said };
}
