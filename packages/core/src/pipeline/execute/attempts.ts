import type { Clock } from "../../clock.ts";

/** A tool at work. */
export interface RunningAttempt {
  /** Where it stands among those that began in this turn of the event loop; -1 when it has outlived that. */
  place: number;
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
  #fresh: RunningAttempt[] = [];
  readonly #armed = new Set<RunningAttempt>();
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(call: RunningAttempt): void {
    call.place = this.#fresh.push(call) - 1;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.set(() => this.#armAll(), 0);
  }

  delete(call: RunningAttempt): void {
    if (call.place < 0) {
      this.#armed.delete(call);
      return;
    }
    // The last one takes its place: cheaper than a set for what comes and goes with every call.
    const last = this.#fresh.pop();
    if (last === undefined || last === call) return;
    this.#fresh[call.place] = last;
    last.place = call.place;
  }

  cancelAll(): void {
    for (const call of [...this.#fresh, ...this.#armed]) call.cancel();
  }

  #armAll(): void {
    this.#scheduled = false;
    const outlived = this.#fresh;
    this.#fresh = [];
    for (const call of outlived) {
      call.place = -1;
      this.#armed.add(call);
      call.arm();
    }
  }
}
