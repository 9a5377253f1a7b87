interface Waiter {
  key: string;
  urgent: boolean;
  resolve(admitted: boolean): void;
}

/**
 * How many calls of a tool a worker runs at once, whichever queues they came by. What came by several queues in the same
 * moment and does not fit waits here, urgent calls first.
 */
export class Seats {
  readonly #most: number;
  readonly #taken = new Set<string>();
  readonly #waiting: Waiter[] = [];
  #closed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many more calls could start at once. */
  get free(): number {
    return Math.max(0, this.#most - this.#taken.size - this.#waiting.length);
  }

  /** Resolves true when the call has a seat, and false when nobody is let in any more. */
  enter(key: string, urgent: boolean): true | Promise<boolean> {
    if (!this.#closed && this.#taken.size < this.#most) {
      this.#taken.add(key);
      return true;
    }
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const place = urgent ? this.#waiting.findIndex((waiter) => !waiter.urgent) : -1;
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, { key, urgent, resolve });
    });
  }

  /** Gives the call's seat back, if it has one. */
  leave(key: string): void {
    if (!this.#taken.delete(key) || this.#closed) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#taken.add(next.key);
    next.resolve(true);
  }

  /** Nobody is let in any more; who waits is told so. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }
}
