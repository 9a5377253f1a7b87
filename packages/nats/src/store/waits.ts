import type { NatsConnection } from "@nats-io/transport-node";
import {
  check,
  matchesWait,
  type Wait,
  type WaitCount,
  type WaitFilter,
  type WaitStore,
} from "@toolrig/core/kit";
import { token } from "../wire/names.ts";
import { Bucket, type BucketOptions } from "./bucket.ts";
import { EarlyCompletions } from "./early-completions.ts";
import { byAge, type Indexed, WaitIndex } from "./wait-index.ts";

/** Of an execution, with what it waits for. */
const MAX_ID = 300;
/** How many are read at once. */
const READS = 100;
/** The end of a key that is no wait's: they end with what is waited for. */
const EARLY = "=early";

/**
 * Waits on NATS: every write is with the server before its promise resolves. Which of them wait and are due is known from an index
 * in memory, which is brought up to date whenever it is asked; what they are is read from the server.
 */
export class KvWaits implements WaitStore {
  /** Completions that came before their calls were parked. */
  readonly early: EarlyCompletions;
  readonly #bucket: Bucket<Wait>;
  readonly #keptMs: number;
  readonly #index = new WaitIndex();
  /** The latest look at the server, and the one that begins when it is over. */
  #looking: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(bucket: Bucket<Wait>, keptMs: number) {
    this.#bucket = bucket;
    this.early = new EarlyCompletions(
      bucket as Bucket<never>,
      (executionId) => `${part(executionId)}.${EARLY}`,
    );
    this.#keptMs = keptMs;
  }

  static async open(connection: NatsConnection, options: BucketOptions): Promise<KvWaits> {
    const { ttlMs = 0 } = options;
    return new KvWaits(
      await Bucket.open<Wait>(connection, options),
      ttlMs === 0 ? Number.POSITIVE_INFINITY : ttlMs,
    );
  }

  async add(wait: Wait): Promise<Wait> {
    const plain = JSON.parse(JSON.stringify(wait)) as Wait;
    for (;;) {
      if (await this.#bucket.create(keyOf(plain.id), plain)) return plain;
      const known = await this.get(plain.id);
      if (known !== undefined) return known;
    }
  }

  async get(id: string): Promise<Wait | undefined> {
    return (await this.#bucket.get(keyOf(id)))?.value;
  }

  async revise(id: string, revise: (wait: Wait) => Wait | undefined): Promise<boolean> {
    return this.#bucket.revise(keyOf(id), (wait) => {
      const revised = revise(wait);
      return revised && { ...revised, id, kind: wait.kind };
    });
  }

  /** Those that wait are found by the index, those of an execution by their keys. For anything else, all are read. */
  async list(filter: WaitFilter = {}): Promise<Wait[]> {
    if (filter.open) return this.#listOpen(filter);
    const prefix = filter.executionId === undefined ? "" : `${part(filter.executionId)}.`;
    const from = prefix === "" ? "replica" : "leader";
    const isWait = (key: string) => !key.endsWith(`.${EARLY}`);
    const waits = (await this.#bucket.scan(prefix, from, isWait)).map(({ value }) => value);
    const found = waits.filter((wait) => matchesWait(wait, filter)).sort(byAge);
    return found.slice(0, filter.limit);
  }

  /** Of tools with names that `accepts` takes. */
  async due(at: number, limit: number, accepts?: (name: string) => boolean): Promise<Wait[]> {
    await this.#look();
    const waits = await this.#read(this.#index.due(at, limit, accepts));
    return waits.filter(({ nextAt }) => nextAt !== undefined && nextAt <= at);
  }

  async counts(): Promise<WaitCount[]> {
    await this.#look();
    return this.#index.counts(Date.now() - this.#keptMs);
  }

  /** Nothing is read any more, unless it is asked for. */
  close(): void {
    this.#bucket.unfollow();
  }

  async #listOpen(filter: WaitFilter): Promise<Wait[]> {
    const { limit = Number.POSITIVE_INFINITY } = filter;
    await this.#look();
    const left = this.#index.open(filter);
    const found: Wait[] = [];
    while (left.length > 0 && found.length < limit) {
      const waits = await this.#read(left.splice(0, Math.min(READS, limit - found.length)));
      found.push(...waits.filter((wait) => matchesWait(wait, filter)));
    }
    return found;
  }

  /** What the index has and the server no longer, it has removed: no message tells of what was kept for long enough. */
  async #read(entries: readonly Indexed[]): Promise<Wait[]> {
    const read = async (entry: Indexed) => {
      const found = await this.#bucket.get(entry.key);
      if (found === undefined) this.#index.drop(entry);
      return found?.value;
    };
    return (await Promise.all(entries.map(read))).filter((wait) => wait !== undefined);
  }

  /** The index knows everything that was written before this was called. */
  #look(): Promise<void> {
    this.#next ??= this.#looking
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#looking = this.#follow();
        return this.#looking;
      });
    return this.#next;
  }

  async #follow(): Promise<void> {
    await this.#bucket.follow(this.#index);
  }
}

/** Waits of an execution share the first part of their keys: their ids begin with its own. */
function keyOf(id: string): string {
  if (id === "" || id.length > MAX_ID)
    throw check.invalid("The length of a wait's id", `1 to ${MAX_ID}`, id.length);
  const colon = id.lastIndexOf(":");
  return colon === -1 ? token(id) : `${part(id.slice(0, colon))}.${part(id.slice(colon + 1))}`;
}

/** A key has no empty parts. */
function part(text: string): string {
  return token(text) || "=";
}
