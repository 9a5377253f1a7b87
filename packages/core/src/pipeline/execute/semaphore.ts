/** At most `limit` holders at once; others wait in order. */
export class Semaphore {
  readonly #limit: number;
  #held = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot now, if there is one. */
  tryAcquire(): boolean {
    if (this.#held >= this.#limit || this.#waiting.size > 0) return false;
    this.#held += 1;
    return true;
  }

  /** Waits for a slot. Resolves false, holding nothing, when the signal aborts first. */
  acquire(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true);
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const granted = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve(true);
      };
      const onAbort = () => {
        this.#waiting.delete(granted);
        resolve(false);
      };
      this.#waiting.add(granted);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#held -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
