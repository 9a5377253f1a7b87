import type { Clock } from "../clock.ts";

interface Timer {
  at: number;
  callback: () => void;
}

/** A clock that moves only when told. Timers that fall due fire in order, each after the promises before it settled. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(callback: () => void, ms: number): unknown {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the time without firing a timer, as code that blocks the thread for `ms` does. */
  block(ms: number): void {
    this.#now += ms;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settled();
    }
    this.#now = until;
  }
}

/** Lets everything that is ready to run, run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
