import { CallBatch } from "@toolrig/core/kit";

/** How many batches are kept that a peer knows by a text. Those longest unused go first. */
const MAX_NAMED = 1_000;

/** The batches of one run of a peer, whose calls arrive one at a time. */
export class PeerBatches {
  readonly #byObject = new WeakMap<object, CallBatch>();
  readonly #byName = new Map<string, CallBatch>();
  #current = new CallBatch();

  /** The batch that the peer knows by `within`; without it, that of the calls under way. */
  of(within: object | string | undefined): CallBatch {
    if (typeof within === "string") return this.#named(within);
    if (within !== undefined) {
      const batch = this.#byObject.get(within) ?? new CallBatch();
      this.#byObject.set(within, batch);
      return batch;
    }
    if (this.#current.isIdle) this.#current = new CallBatch();
    return this.#current;
  }

  #named(name: string): CallBatch {
    const batch = this.#byName.get(name) ?? new CallBatch();
    this.#byName.delete(name);
    this.#byName.set(name, batch);
    const [oldest] = this.#byName.keys();
    if (this.#byName.size > MAX_NAMED && oldest !== undefined) this.#byName.delete(oldest);
    return batch;
  }
}
