import { setTimeout as pause } from "node:timers/promises";
import type { Bucket } from "./bucket.ts";

/** A completion as it travels: who reads it checks it again. */
interface Kept {
  /** Completions in their wire format. */
  early: readonly string[];
}

/** Of an execution. Its tool gave one token out; more than one is a mistake or a forgery. */
const MOST = 8;
const RETRY_MS = 50;

/**
 * Completions of calls that are not parked yet, beside the waits of the fleet: whichever worker parks a call finds what another one
 * took. They are gone as soon as the call is parked or over.
 */
export class EarlyCompletions {
  readonly #bucket: Bucket<Kept>;
  readonly #keyOf: (executionId: string) => string;

  constructor(bucket: Bucket<Kept>, keyOf: (executionId: string) => string) {
    this.#bucket = bucket;
    this.#keyOf = keyOf;
  }

  /** Resolves when the completion is kept, once. False when the execution has too many already. */
  async add(executionId: string, completion: string): Promise<boolean> {
    const key = this.#keyOf(executionId);
    for (; ; await pause(RETRY_MS)) {
      const known = await this.#bucket.get(key);
      if (known === undefined) {
        if (await this.#bucket.create(key, { early: [completion] })) return true;
        continue;
      }
      const { early } = known.value;
      if (early.includes(completion)) return true;
      if (early.length >= MOST) return false;
      if (await this.#bucket.update(key, { early: [...early, completion] }, known.revision)) return true;
    }
  }

  /** In the order in which they came. */
  async list(executionId: string): Promise<readonly string[]> {
    return (await this.#bucket.get(this.#keyOf(executionId)))?.value.early ?? [];
  }

  async remove(executionId: string): Promise<void> {
    const key = this.#keyOf(executionId);
    for (;;) {
      const known = await this.#bucket.get(key);
      if (known === undefined || (await this.#bucket.remove(key, known.revision))) return;
    }
  }
}
