import type { Clock } from "../../clock.ts";

/** A tool at work. */
export interface RunningAttempt {
  /** Starts its timers. */
  arm(): void;
  cancel(): void;
}

/**
 * The tools at work. Timers are started only for calls that outlive the turn of the event loop they began in: most
 * end within it, and for those a timer would be the largest part of their cost.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #fresh = new Set<RunningAttempt>();
  readonly #armed = new Set<RunningAttempt>();
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(call: RunningAttempt): void {
    this.#fresh.add(call);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.set(() => this.#armAll(), 0);
  }

  delete(call: RunningAttempt): void {
    if (!this.#fresh.delete(call)) this.#armed.delete(call);
  }

  cancelAll(): void {
    for (const call of [...this.#fresh, ...this.#armed]) call.cancel();
  }

  #armAll(): void {
    this.#scheduled = false;
    for (const call of this.#fresh) {
      this.#armed.add(call);
      call.arm();
    }
    this.#fresh.clear();
  }
}
