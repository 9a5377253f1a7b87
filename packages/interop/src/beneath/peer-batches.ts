import { CallBatch } from "@toolrig/core/kit";

/** How many batches are kept that a peer knows by a text. Those longest unused go first. */
const MAX_NAMED = 1_000;

/** The batches of one run of a peer, whose calls arrive one at a time. */
export class PeerBatches {
  readonly #byObject = new WeakMap<object, CallBatch>();
  readonly #byName = new Map<string, CallBatch>();
  /** The response that came last. */
  readonly #responses = new WeakMap<CallBatch, object | string>();
  #current = new CallBatch("batch");

  /**
   * The batch that the peer knows by `within`; without it, that of the calls under way. Calls with the same `response` are one turn;
   * where the peer does not tell responses apart, those that are under way at the same time.
   */
  of(within: object | string | undefined, response?: object | string): CallBatch {
    if (within === undefined) {
      if (this.#current.isIdle) this.#current = new CallBatch("batch");
      return this.#current;
    }
    const batch = this.#known(within) ?? new CallBatch(response === undefined ? "under way" : "batch");
    if (typeof within === "string") this.#keep(within, batch);
    else this.#byObject.set(within, batch);
    if (response === undefined || this.#responses.get(batch) === response) return batch;
    this.#responses.set(batch, response);
    batch.nextTurn();
    return batch;
  }

  #known(within: object | string): CallBatch | undefined {
    return typeof within === "string" ? this.#byName.get(within) : this.#byObject.get(within);
  }

  #keep(name: string, batch: CallBatch): void {
    this.#byName.delete(name);
    this.#byName.set(name, batch);
    const [oldest] = this.#byName.keys();
    if (this.#byName.size > MAX_NAMED && oldest !== undefined) this.#byName.delete(oldest);
  }
}
