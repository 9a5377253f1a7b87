export interface FairSlotsOptions {
  /** Slots that one principal holds at most. */
  size: number;
  /** Requests of one principal that wait at most. */
  queue: number;
  /** How many principals can hold all of their slots before another one has to wait. Default 2. */
  principals?: number;
}

interface Waiter {
  readonly who: string | undefined;
  grant(): void;
}

/**
 * Bounded slots, shared fairly between principals. One principal holds at most `size` slots, all of them together `principals`
 * times as many: no principal can use up the slots of another. A free slot goes to the waiting principal that holds the fewest,
 * and among those to the one that has waited longest.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string | undefined, number>();
  readonly #waiting: Waiter[] = [];
  #total = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Resolves to true with a slot, and to false when the principal's queue is full or the signal aborts first. */
  async take(who: string | undefined, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    if (this.#mayHold(who)) {
      this.#add(who, 1);
      return true;
    }
    if (this.#waiting.filter((waiter) => waiter.who === who).length >= this.#options.queue) return false;
    return this.#turn(who, signal);
  }

  /** Returns a slot and hands it to the next request. */
  give(who: string | undefined): void {
    this.#add(who, -1);
    const next = this.#next();
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#add(next.who, 1);
    next.grant();
  }

  #mayHold(who: string | undefined): boolean {
    const { size, principals = 2 } = this.#options;
    return this.#total < principals * size && (this.#held.get(who) ?? 0) < size;
  }

  #next(): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (!this.#mayHold(waiter.who)) continue;
      if (best === undefined || this.#heldBy(waiter) < this.#heldBy(best)) best = waiter;
    }
    return best;
  }

  #heldBy({ who }: Waiter): number {
    return this.#held.get(who) ?? 0;
  }

  #add(who: string | undefined, change: 1 | -1): void {
    const held = (this.#held.get(who) ?? 0) + change;
    if (held === 0) this.#held.delete(who);
    else this.#held.set(who, held);
    this.#total += change;
  }

  #turn(who: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const waiter: Waiter = {
        who,
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve(true);
        },
      };
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
