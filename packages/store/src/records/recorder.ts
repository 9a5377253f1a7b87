import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type CallRecord, ToolrigError } from "@toolrig/core";
import { type CallStore, type LateRecord, programBeside } from "@toolrig/core/kit";
import { callEntry, type Entry, lateEntry } from "./entry.ts";
import type { SqliteRecords } from "./records.ts";
import type { WriterSetup, Written } from "./writer-thread.ts";

/** So many records within a second are worth a thread. */
const MANY = 1_000;
const WINDOW_MS = 1_000;
const GONE = "The thread that writes records has ended.";

/**
 * Records as calls give them. While few come they are written at once; when many come, by a thread, so that the program
 * goes on meanwhile. Whoever awaits `store` knows in both cases that they are written.
 */
export class SqliteRecorder implements CallStore {
  readonly #records: SqliteRecords;
  /** Undefined: without a thread. */
  #setup: WriterSetup | undefined;
  readonly #onGone: () => void;
  #thread: Worker | undefined;
  #isReady = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Told what came of the batch that was sent last. */
  #answered: (written: Written) => void = () => {};
  #closed = false;
  #since = 0;
  #seen = 0;

  /** Without a `setup` everything is written at once. `onGone` is told when the thread is no more. */
  constructor(records: SqliteRecords, setup: WriterSetup | undefined, onGone: () => void) {
    this.#records = records;
    this.#setup = setup;
    this.#onGone = onGone;
  }

  store(records: readonly CallRecord[]): Promise<void> | void {
    if (!this.#isReady) {
      this.#count(records.length);
      return this.#records.store(records);
    }
    return this.#send(records.map(callEntry));
  }

  storeLate(records: readonly LateRecord[]): Promise<void> | void {
    return this.#isReady ? this.#send(records.map(lateEntry)) : this.#records.storeLate(records);
  }

  /** What was sent is still written. */
  end(): void {
    this.#closed = true;
    this.#isReady = false;
    const thread = this.#thread;
    void this.#last.then(() => thread?.postMessage("close"));
  }

  #count(records: number): void {
    if (this.#setup === undefined || this.#thread !== undefined || this.#closed) return;
    const now = performance.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#seen = 0;
    }
    this.#seen += records;
    if (this.#seen >= MANY) void this.#start(this.#setup);
  }

  async #start(setup: WriterSetup): Promise<void> {
    const thread = new Worker(programBeside(import.meta.url, "writer-thread"), {
      workerData: setup,
      env: {},
      execArgv: ["--no-warnings"],
    });
    this.#thread = thread;
    thread.unref();
    // What goes wrong with it shows where it is asked.
    thread.on("error", () => {});
    thread.once("exit", () => {
      this.#thread = undefined;
      this.#setup = undefined;
      this.#isReady = false;
      this.#answered({ error: GONE });
      this.#onGone();
    });
    await once(thread, "message").catch(() => {});
    thread.on("message", (written: Written) => this.#answered(written));
    this.#isReady = this.#thread === thread && !this.#closed;
  }

  #send(entries: readonly Entry[]): Promise<void> {
    const written = this.#last.then(() => this.#write(entries));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) throw new ToolrigError("STORE_FAILED", GONE);
    const answer = new Promise<Written>((resolve) => {
      this.#answered = resolve;
    });
    thread.ref();
    thread.postMessage(entries);
    const { error } = await answer;
    thread.unref();
    if (error !== undefined) throw new ToolrigError("STORE_FAILED", error);
  }
}
