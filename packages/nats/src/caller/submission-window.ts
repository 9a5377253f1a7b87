import type { Priority } from "../wire/names.ts";

interface Waiter {
  since: number;
  resolve(admitted: boolean): void;
}

const ORDER: readonly Priority[] = ["high", "normal", "low"];

/**
 * How many calls of a tool this caller may have out at once. Those beyond wait here, where order can still be chosen: high
 * priority first, and the runs that wait take turns, so that a run with a thousand calls does not keep one with two waiting.
 */
export class SubmissionWindow {
  /** Asked anew each time: workers come and go. */
  readonly #most: () => number;
  readonly #maxWaiting: number;
  /** By priority, then by run. */
  readonly #waiting: Readonly<Record<Priority, Map<string, Waiter[]>>> = {
    high: new Map(),
    normal: new Map(),
    low: new Map(),
  };
  #out = 0;
  #queued = 0;

  constructor(most: () => number, maxWaiting: number) {
    this.#most = most;
    this.#maxWaiting = maxWaiting;
  }

  get queued(): number {
    return this.#queued;
  }

  /** No more calls may wait here. */
  get isFull(): boolean {
    return this.#queued >= this.#maxWaiting;
  }

  get isIdle(): boolean {
    return this.#out === 0 && this.#queued === 0;
  }

  /**
   * Undefined when the call may go at once. Otherwise resolves true when it may, or when the signal aborts, and false when it
   * was given up; who was let in must leave again.
   */
  enter(run: string, priority: Priority, signal: AbortSignal | undefined): Promise<boolean> | undefined {
    if (this.#queued === 0 && this.#out < this.#most()) {
      this.#out += 1;
      return undefined;
    }
    this.#queued += 1;
    const waits = new Promise<boolean>((resolve) => {
      const runs = this.#waiting[priority];
      const onAbort = () => this.#abandon(runs, run, waiter);
      const waiter: Waiter = {
        since: Date.now(),
        resolve(admitted) {
          signal?.removeEventListener("abort", onAbort);
          resolve(admitted);
        },
      };
      const queue = runs.get(run);
      if (queue === undefined) runs.set(run, [waiter]);
      else queue.push(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
    this.#admit();
    return waits;
  }

  leave(): void {
    this.#out -= 1;
    this.#admit();
  }

  /** Sends away who has waited for so long. */
  giveUp(waitedMs: number): void {
    const before = Date.now() - waitedMs;
    for (const runs of Object.values(this.#waiting)) {
      for (const [run, queue] of runs) {
        const late = queue.filter(({ since }) => since <= before);
        this.#queued -= late.length;
        if (late.length === queue.length) runs.delete(run);
        else runs.set(run, queue.slice(late.length));
        for (const { resolve } of late) resolve(false);
      }
    }
  }

  #admit(): void {
    while (this.#out < this.#most()) {
      const waiter = this.#next();
      if (waiter === undefined) return;
      this.#queued -= 1;
      this.#out += 1;
      waiter.resolve(true);
    }
  }

  #next(): Waiter | undefined {
    for (const priority of ORDER) {
      const runs = this.#waiting[priority];
      const [first] = runs;
      if (first === undefined) continue;
      const [run, queue] = first;
      const waiter = queue.shift();
      // To the end of the line, if it has more.
      runs.delete(run);
      if (queue.length > 0) runs.set(run, queue);
      return waiter;
    }
    return undefined;
  }

  /** It leaves again like any other, so it counts as out. */
  #abandon(runs: Map<string, Waiter[]>, run: string, waiter: Waiter): void {
    const queue = runs.get(run);
    const index = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || index < 0) return;
    queue.splice(index, 1);
    if (queue.length === 0) runs.delete(run);
    this.#queued -= 1;
    this.#out += 1;
    waiter.resolve(true);
  }
}
