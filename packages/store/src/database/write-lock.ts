/** At most so long somebody waits for a turn; what keeps writers apart then is SQLite, as it does for other processes. */
const PATIENCE_MS = 500;
const BUSY = 0;
const WANTED = 1;

/**
 * Two threads of a process that write to one file take turns: SQLite lets who comes too early sleep for milliseconds, and
 * who sleeps can miss every gap of a busy writer. It only makes them polite; nothing is lost where it fails.
 */
export class WriteLock {
  /** What another thread makes its own from. */
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array<SharedArrayBuffer>;
  readonly #first: boolean;

  /** `first` is let in before others that come again and again. */
  constructor({ shared = new SharedArrayBuffer(8), first = false } = {}) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
    this.#first = first;
  }

  take(): void {
    const until = performance.now() + PATIENCE_MS;
    if (this.#first) Atomics.store(this.#state, WANTED, 1);
    else this.#await(WANTED, until);
    while (Atomics.compareExchange(this.#state, BUSY, 0, 1) !== 0) {
      if (!this.#await(BUSY, until)) break;
    }
    if (this.#first) this.#end(WANTED);
  }

  release(): void {
    this.#end(BUSY);
  }

  /** Also what a thread left that is no more. */
  reset(): void {
    this.#end(WANTED);
    this.#end(BUSY);
  }

  /** False when it takes too long. */
  #await(which: number, until: number): boolean {
    while (Atomics.load(this.#state, which) === 1) {
      const left = until - performance.now();
      if (left <= 0) return false;
      Atomics.wait(this.#state, which, 1, left);
    }
    return true;
  }

  #end(which: number): void {
    Atomics.store(this.#state, which, 0);
    Atomics.notify(this.#state, which);
  }
}
