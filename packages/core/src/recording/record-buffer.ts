import { backoffDelay } from "../backoff.ts";
import type { Redactor } from "../call/redact.ts";
import { messageOf } from "../plain.ts";
import type { CallRecord, CallStore, LateRecord } from "../stores/records.ts";

export interface BufferSettings {
  capacity: number;
  batchSize: number;
  lingerMs: number;
  redactor: Redactor;
  onLoss: ((loss: { dropped: number; reason: string }) => void) | undefined;
}

const MAX_AT_ONCE = 1_000;
const BACKOFF = { backoffMs: 50, maxBackoffMs: 5_000 };
/** So many failures in a row keep a process alive that has nothing else to do: about half a minute. */
const KEEPS_ALIVE = 10;
/** How often a buffer that ends tries once more. */
const LAST_TRIES = 5;
/** After so many failures in a row each record is stored by itself: one that no store takes must not keep the others. */
const ALONE_AFTER = 3;
/** A record that failed by itself so often, while the store took others, is dropped. */
const MAX_REFUSALS = 3;

/** How often a record failed by itself, and how many others the store had taken by then. */
interface Refusals {
  times: number;
  stored: number;
}

/** Records on their way to a store. What a store fails to take stays and is tried again; what does not fit is counted. */
export class RecordBuffer {
  readonly #store: CallStore;
  readonly #settings: BufferSettings;
  #queue: CallRecord[] = [];
  /** Of the queue, how many from the front have no secrets any more. */
  #cleaned = 0;
  #willClean = false;
  /** Of the queue, those whose call is over and not ended: guards may still change its result. */
  readonly #open = new Set<CallRecord>();
  #late: LateRecord[] = [];
  readonly #refusals = new Map<CallRecord | LateRecord, Refusals>();
  #writing: Promise<void> | undefined;
  /** Ends with the batch under way. */
  #round = Promise.withResolvers<void>();
  #hurry = false;
  #wake: (() => void) | undefined;
  #inStore = 0;
  #stored = 0;
  /** In a row. */
  #failures = 0;
  #error = "";
  dropped = 0;

  constructor(store: CallStore, settings: BufferSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  get pending(): number {
    return this.#queue.length + this.#late.length + this.#inStore;
  }

  /** Why records wait; undefined while the store takes them. */
  get problem(): string | undefined {
    return this.#failures === 0 ? undefined : `${this.pending} records wait for the store: ${this.#error}`;
  }

  /** `open`: guards may still change the result, until `close`. */
  add(record: CallRecord, open: boolean): void {
    if (!this.#enqueue(this.#queue, record)) return;
    if (open) this.#open.add(record);
    if (this.#willClean) return;
    this.#willClean = true;
    afterThisTurn(this.#cleanAhead);
  }

  /** False when the record is on its way to the store already, as it was. */
  close(record: CallRecord): boolean {
    return this.#open.delete(record);
  }

  addLate(late: LateRecord): void {
    this.#enqueue(this.#late, late);
  }

  lose(count: number, reason: string): void {
    this.dropped += count;
    try {
      this.#settings.onLoss?.({ dropped: this.dropped, reason });
    } catch {
      // Whoever is told of a loss must not cause another.
    }
  }

  /** Resolves when everything is stored or dropped, or the store has failed once more: then the rest stays. */
  async flush(): Promise<void> {
    this.#hurry = true;
    this.#wake?.();
    for (let failures = 0; this.#writing !== undefined && failures === 0; failures = this.#failures)
      await this.#round.promise;
    this.#hurry = false;
  }

  /** Tries a few times more, and counts what the store does not take as dropped. */
  async end(): Promise<void> {
    await this.flush();
    for (let tries = 1; this.pending > 0 && tries < LAST_TRIES; tries++) {
      await new Promise((resolve) => setTimeout(resolve, backoffDelay(tries, BACKOFF)));
      await this.flush();
    }
    const left = this.#queue.length + this.#late.length;
    this.#queue = [];
    this.#late = [];
    this.#cleaned = 0;
    this.#open.clear();
    if (left > 0) this.lose(left, `the store failed: ${this.#error}`);
    this.#wake?.();
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
        if (!this.#refusals.has(record)) this.#queue[this.#cleaned] = this.#clean(record);
      } catch {
        return;
      }
      this.#cleaned += 1;
    }
  };

  #clean<Item extends CallRecord | LateRecord>(item: Item): Item {
    return this.#settings.redactor.fact(item);
  }

  /** Whether there was room. */
  #enqueue<Item>(queue: Item[], item: Item): boolean {
    if (this.pending >= this.#settings.capacity) {
      this.lose(1, this.#failures === 0 ? "the buffer is full" : `the buffer is full: ${this.#error}`);
      return false;
    }
    queue.push(item);
    this.#writing ??= this.#write();
    return true;
  }

  /** Waits before every batch: so that it is worth a commit, and because neither redaction nor store is on the path of a call. */
  async #write(): Promise<void> {
    const { batchSize } = this.#settings;
    while (this.#queue.length > 0 || this.#late.length > 0) {
      await this.#pause();
      const alone = this.#failures >= ALONE_AFTER || this.#refusals.size > 0;
      const batch = this.#queue.splice(0, alone ? 1 : sizeFor(this.#queue.length, batchSize));
      const cleaned = Math.min(this.#cleaned, batch.length);
      this.#cleaned -= cleaned;
      for (const record of batch) this.#open.delete(record);
      const left = await this.#keep(batch, cleaned, (clean) => this.#store.store(clean));
      if (alone) this.#queue.push(...left);
      else {
        this.#queue.unshift(...left);
        this.#cleaned += left.length;
      }
      const late = this.#late.splice(0, alone ? 1 : batchSize);
      this.#late.push(...(await this.#keep(late, 0, (clean) => this.#store.storeLate?.(clean))));
      this.#round.resolve();
      this.#round = Promise.withResolvers();
    }
    this.#writing = undefined;
  }

  #pause(): Promise<void> {
    const { batchSize, lingerMs } = this.#settings;
    const isDue = this.#hurry || (this.#failures === 0 && this.#queue.length >= batchSize);
    const ms = isDue ? 0 : this.#failures === 0 ? lingerMs : (backoffDelay(this.#failures, BACKOFF) ?? 0);
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      if (this.#failures > KEEPS_ALIVE) (timer as { unref?: () => void }).unref?.();
      this.#wake = done;
      function done() {
        clearTimeout(timer);
        resolve();
      }
    });
  }

  /** The first `cleaned` of a batch have no secrets any more. Returns, without secrets, what the store did not take. */
  async #keep<Item extends CallRecord | LateRecord>(
    batch: readonly Item[],
    cleaned: number,
    store: (clean: Item[]) => unknown,
  ): Promise<Item[]> {
    if (batch.length === 0) return [];
    const clean = this.#cleanAll(batch, cleaned);
    this.#inStore = clean.length;
    try {
      await store(clean);
      for (const item of clean) this.#refusals.delete(item);
      this.#stored += clean.length;
      this.#failures = 0;
      return [];
    } catch (error) {
      this.#failures += 1;
      this.#error = messageOf(error);
      return clean.length === 1 ? clean.filter((item) => !this.#isRefused(item)) : clean;
    } finally {
      this.#inStore = 0;
    }
  }

  /** What cannot be cleaned is not stored. */
  #cleanAll<Item extends CallRecord | LateRecord>(batch: readonly Item[], cleaned: number): Item[] {
    return batch.flatMap((item, index) => {
      if (index < cleaned || this.#refusals.has(item)) return [item];
      try {
        return [this.#clean(item)];
      } catch (error) {
        this.lose(1, `secrets could not be removed: ${messageOf(error)}`);
        return [];
      }
    });
  }

  /** Whether the store takes others and never this one. */
  #isRefused(item: CallRecord | LateRecord): boolean {
    const known = this.#refusals.get(item);
    const isNews = known === undefined || known.stored < this.#stored;
    const refusals = { times: (known?.times ?? 0) + (isNews ? 1 : 0), stored: this.#stored };
    this.#refusals.set(item, refusals);
    if (refusals.times <= MAX_REFUSALS) return false;
    this.#refusals.delete(item);
    this.lose(1, `the store failed: ${this.#error}`);
    return true;
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
