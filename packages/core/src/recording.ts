import type { BatchOptions, CallOptions, ToolCall } from "./call.ts";
import { messageOf } from "./content.ts";
import type { CallEvent, EventStream } from "./events.ts";
import { type CallRecord, type CallStore, RecordBuilder } from "./record.ts";
import { Redactor } from "./redact.ts";
import type { ToolResult } from "./result.ts";

/** Takes calls, returns results. Local and remote executors are both of this shape. */
export interface CallExecutor {
  readonly events: EventStream;
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
}

export interface RecordingOptions {
  /** How many records may wait for the store before new ones are dropped. Default 10,000. */
  capacity?: number;
  /** How many records the store gets at once. Default 100. */
  batchSize?: number;
  redactor?: Redactor;
  /** Told of every loss, with the count so far. */
  onLoss?: (loss: { dropped: number; reason: string }) => void;
}

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

export function recording(
  executor: CallExecutor,
  store: CallStore,
  options: RecordingOptions = {},
): RecordingExecutor {
  const recorder = new Recorder(store, options);
  const stop = executor.events.on((event) => recorder.observe(event));
  return {
    events: executor.events,
    call: (call, callOptions) => executor.call(call, callOptions),
    batch: (calls, batchOptions) => executor.batch(calls, batchOptions),
    get dropped() {
      return recorder.dropped;
    },
    get pending() {
      return recorder.pending;
    },
    flush: () => recorder.flush(),
    async close() {
      stop();
      await recorder.flush();
      await store.close?.();
    },
  };
}

class Recorder {
  readonly #store: CallStore;
  readonly #options: Required<Pick<RecordingOptions, "capacity" | "batchSize" | "redactor">>;
  readonly #onLoss: RecordingOptions["onLoss"];
  readonly #building = new Map<string, RecordBuilder>();
  #queue: CallRecord[] = [];
  #writing: Promise<void> | undefined;
  #inStore = 0;
  dropped = 0;

  constructor(
    store: CallStore,
    { capacity = 10_000, batchSize = 100, redactor = new Redactor(), onLoss }: RecordingOptions,
  ) {
    this.#store = store;
    this.#options = { capacity, batchSize, redactor };
    this.#onLoss = onLoss;
  }

  get pending(): number {
    return this.#queue.length + this.#inStore;
  }

  observe(event: CallEvent): void {
    if (event.type === "call.late") return;
    let builder = this.#building.get(event.executionId);
    if (event.type === "call.start") {
      builder = new RecordBuilder();
      this.#building.set(event.executionId, builder);
    }
    const record = builder?.add(event);
    if (record === undefined) return;
    this.#building.delete(event.executionId);
    if (this.pending >= this.#options.capacity) this.#lose(1, "the buffer is full");
    else this.#queue.push(record);
    this.#writing ??= this.#write();
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    // Leaves the caller's turn first: redaction and the store are never on the path of a call.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#options.batchSize);
      this.#queue = this.#queue.slice(batch.length);
      this.#inStore = batch.length;
      try {
        await this.#store.store(batch.map((record) => this.#options.redactor.value(record) as CallRecord));
      } catch (error) {
        this.#lose(batch.length, `the store failed: ${messageOf(error)}`);
      }
      this.#inStore = 0;
    }
    this.#writing = undefined;
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
