/** SQLite's own wait for a lock looks after 1, 3, 8 and 18 ms. One that is longer looks so seldom that a busy lock is never seen free. */
export const ONE_WAIT_MS = 20;
/** Between two such waits, so that a lock that SQLite does not wait for is not asked for without a pause. */
const PAUSE_MS = 1;
/** A queue of others that go on is waited for so many times as long as one that holds the lock and does nothing. */
const LONGEST = 15;

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Does `work`, which has no effect while another connection holds the lock, again until that does not. */
export function whenFree<T>(patienceMs: number, work: () => T): T {
  for (const until = performance.now() + patienceMs; ; ) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= until) throw error;
      Atomics.wait(nobody, 0, 0, PAUSE_MS);
    }
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED, before they became errors of the store. */
function isLocked(error: unknown): boolean {
  const primary = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  return primary === 5 || primary === 6;
}

/** How long a write is put off that other processes keep from the lock. */
export class Patience {
  readonly #patienceMs: number;
  readonly #version: () => number;
  #seen: number | undefined;
  #begunAt = 0;
  #since = 0;

  /** `version` is another number whenever others have written. */
  constructor(patienceMs: number, version: () => number) {
    this.#patienceMs = patienceMs;
    this.#version = version;
  }

  /** Told of each try that found the lock taken. False once one process has held it for too long, or all others together. */
  goesOn(): boolean {
    const now = performance.now();
    const version = this.#version();
    if (this.#seen === undefined) this.#begunAt = now;
    if (version !== this.#seen) this.#since = now;
    this.#seen = version;
    return now - this.#since < this.#patienceMs && now - this.#begunAt < this.#patienceMs * LONGEST;
  }

  /** The write was done. */
  end(): void {
    this.#seen = undefined;
  }
}
