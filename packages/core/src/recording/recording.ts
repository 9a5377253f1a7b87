import type { CallEvent } from "../call/events.ts";
import { Redactor, redactorOption } from "../call/redact.ts";
import type { ToolResult } from "../call/result.ts";
import { check } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { MAX_TIMER_MS } from "../options/duration.ts";
import { callback, count, that } from "../options/kinds.ts";
import { messageOf } from "../plain.ts";
import type { CallExecutor } from "../source/call-executor.ts";
import type { CallRecord, CallStore, LateRecord } from "../stores/records.ts";
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

const MAX_AT_ONCE = 1_000;

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

/** An executor whose calls are recorded. Recording never delays or fails a call; what is lost is counted. */
export interface RecordingExecutor extends CallExecutor {
  /** Records that never reached the store: the buffer was full or the store failed. */
  readonly dropped: number;
  /** Records waiting for the store. */
  readonly pending: number;
  /** Resolves when everything recorded so far is stored or counted as dropped. */
  flush(): Promise<void>;
  /** Flushes, stops recording and closes the store. */
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
      return recorder.dropped;
    },
    get pending() {
      return recorder.pending;
    },
    flush: () => recorder.flush(),
    async close() {
      stop();
      await recorder.end();
      await store.close?.();
    },
  };
}

class Recorder {
  readonly #store: CallStore;
  readonly #options: Required<Omit<RecordingOptions, "onLoss">>;
  readonly #onLoss: RecordingOptions["onLoss"];
  /** By the start of the call, where it is known: two calls may be under way with one execution id. */
  readonly #building = new Map<number | string, RecordBuilder>();
  #queue: CallRecord[] = [];
  /** Of the queue, how many from the front have no secrets any more. */
  #cleaned = 0;
  #willClean = false;
  /** Of the queue, those whose call is over and not ended: guards may still change its result. */
  readonly #open = new Set<CallRecord>();
  #late: LateRecord[] = [];
  #writing: Promise<void> | undefined;
  #hurry = false;
  #inStore = 0;
  dropped = 0;

  constructor(store: CallStore, options: RecordingOptions) {
    const { capacity, batchSize, lingerMs, onLoss, ...rest } = recordingOptions.withDefaults(options);
    const { redactor = new Redactor() } = rest;
    this.#store = store;
    this.#options = { capacity, batchSize, lingerMs, redactor };
    this.#onLoss = onLoss;
  }

  get pending(): number {
    return this.#queue.length + this.#late.length + this.#inStore;
  }

  observe(event: CallEvent): void {
    if (event.type === "call.late") {
      const { type: _, seq: __, ...late } = event;
      this.#enqueue(this.#late, late);
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
      if (event.type === "call.end") this.#lose(1, "its start was not seen");
      return;
    }
    const recorded = builder.result;
    const record = builder.add(event);
    if (record === undefined) return;
    if (event.type === "call.end") this.#building.delete(call);
    // What is over was recorded when it happened.
    if (record.result.replayed === true) return;
    if (recorded === undefined) this.#add(record, event.type);
    else if (!this.#open.delete(record) && shownOf(recorded) !== shownOf(record.result))
      this.#enqueue(this.#late, amendment(record, event.at, recorded));
  }

  #add(record: CallRecord, type: CallEvent["type"]): void {
    if (!this.#enqueue(this.#queue, record)) return;
    if (type === "call.settled") this.#open.add(record);
    if (this.#willClean) return;
    this.#willClean = true;
    afterThisTurn(this.#cleanAhead);
  }

  /**
   * One record after the other, each when its call is answered: whoever makes one call after the other would wait for a batch of
   * them. What cannot be cleaned yet, or at all, is left to the batch.
   */
  readonly #cleanAhead = (): void => {
    this.#willClean = false;
    for (;;) {
      const record = this.#queue[this.#cleaned];
      if (record === undefined || this.#open.has(record)) return;
      try {
        this.#queue[this.#cleaned] = this.#clean(record);
      } catch {
        return;
      }
      this.#cleaned += 1;
    }
  };

  #clean<Item extends CallRecord | LateRecord>(item: Item): Item {
    return this.#options.redactor.fact(item);
  }

  /** Flushes and counts the calls whose end will not be seen. */
  async end(): Promise<void> {
    const unfinished = this.#building.size;
    if (unfinished > 0) this.#lose(unfinished, "recording was closed before the call ended");
    this.#building.clear();
    await this.flush();
  }

  async flush(): Promise<void> {
    this.#hurry = true;
    while (this.#writing !== undefined) await this.#writing;
    this.#hurry = false;
  }

  /** Whether there was room. */
  #enqueue<Item>(queue: Item[], item: Item): boolean {
    if (this.pending >= this.#options.capacity) {
      this.#lose(1, "the buffer is full");
      return false;
    }
    queue.push(item);
    this.#writing ??= this.#write();
    return true;
  }

  /** Waits before every batch: so that it is worth a commit, and because neither redaction nor store is on the path of a call. */
  async #write(): Promise<void> {
    const { batchSize, lingerMs } = this.#options;
    while (this.#queue.length > 0 || this.#late.length > 0) {
      await this.#pause(this.#hurry || this.#queue.length >= batchSize ? 0 : lingerMs);
      const batch = this.#queue.splice(0, sizeFor(this.#queue.length, batchSize));
      const late = this.#late.splice(0, batchSize);
      const cleaned = Math.min(this.#cleaned, batch.length);
      this.#cleaned -= cleaned;
      for (const record of batch) this.#open.delete(record);
      await this.#keep(batch, cleaned, (clean) => this.#store.store(clean));
      await this.#keep(late, 0, (clean) => this.#store.storeLate?.(clean));
    }
    this.#writing = undefined;
  }

  async #pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** The first `cleaned` of a batch have no secrets any more. */
  async #keep<Item extends CallRecord | LateRecord>(
    batch: readonly Item[],
    cleaned: number,
    store: (clean: Item[]) => unknown,
  ): Promise<void> {
    if (batch.length === 0) return;
    this.#inStore = batch.length;
    try {
      await store(batch.map((item, index) => (index < cleaned ? item : this.#clean(item))));
    } catch (error) {
      this.#lose(batch.length, `the store failed: ${messageOf(error)}`);
    }
    this.#inStore = 0;
  }

  #lose(count: number, reason: string): void {
    this.dropped += count;
    try {
      this.#onLoss?.({ dropped: this.dropped, reason });
    } catch {
      // Whoever is told of a loss must not cause another.
    }
  }
}

/** In surroundings that have no such moment never: then everything is cleaned with its batch. */
function afterThisTurn(work: () => void): void {
  (globalThis as { setImmediate?: (work: () => void) => unknown }).setImmediate?.(work);
}

/** Where many wait, more are stored at once: a program that is busy has few turns for it, and what no longer fits is lost. */
function sizeFor(waiting: number, batchSize: number): number {
  return Math.max(batchSize, Math.min(MAX_AT_ONCE, waiting >> 1));
}

function shownOf({ isError, content }: ToolResult): string {
  return JSON.stringify([isError, content]);
}

/** A record that is stored stays as it is. What guards made of its result afterwards is kept beside it. */
function amendment(record: CallRecord, at: number, recorded: ToolResult): LateRecord {
  const { executionId, callId, name, runId, requestId, stepName, parentId, result } = record;
  const ids = { runId, requestId, stepName, parentId };
  const known = Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
  const message = "What the caller got differs: guards or limits changed the result after it was recorded.";
  const afterMs = Math.max(0, result.durationMs - recorded.durationMs);
  const { isError, content: value } = result;
  return { executionId, callId, name, ...known, at, afterMs, isError, message, value };
}
