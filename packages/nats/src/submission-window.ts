import type { Priority } from "./names.ts";

interface Waiter {
  resolve(): void;
}

const ORDER: readonly Priority[] = ["high", "normal", "low"];

/**
 * How many calls of this caller may be out at once. Those beyond wait here, where order can still be chosen: high priority
 * first, and the runs that wait take turns, so that a run with a thousand calls does not keep one with two waiting.
 */
export class SubmissionWindow {
  readonly #most: number;
  readonly #waiting = new Map<Priority, Map<string, Waiter[]>>(ORDER.map((each) => [each, new Map()]));
  #out = 0;
  #queued = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Undefined when the call may go at once; otherwise resolves when it may, or at once when the signal aborts. */
  enter(run: string, priority: Priority, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#out < this.#most) {
      this.#out += 1;
      return undefined;
    }
    this.#queued += 1;
    return new Promise((resolve) => {
      const runs = this.#waiting.get(priority)!;
      const waiter: Waiter = { resolve };
      const queue = runs.get(run);
      if (queue === undefined) runs.set(run, [waiter]);
      else queue.push(waiter);
      signal?.addEventListener("abort", () => this.#abandon(runs, run, waiter), { once: true });
    });
  }

  leave(): void {
    const next = this.#next();
    if (next === undefined) this.#out -= 1;
    else next.resolve();
  }

  #next(): Waiter | undefined {
    for (const priority of ORDER) {
      const runs = this.#waiting.get(priority)!;
      for (const [run, queue] of runs) {
        // To the end of the line, if it has more.
        runs.delete(run);
        const waiter = queue.shift();
        if (queue.length > 0) runs.set(run, queue);
        if (waiter === undefined) continue;
        this.#queued -= 1;
        return waiter;
      }
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
    waiter.resolve();
  }
}
