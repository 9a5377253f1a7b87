import type { Limits } from "../limits.ts";
import type { Ended, Used } from "../messages.ts";

/** The interrupt handler is asked once in so many turns of loops and calls of functions. */
const STEPS_A_LOOK = 10_000;

/** Counts what the code takes and stops it. Long built-ins do not ask: those are ended from outside, with the worker. */
export class Watch {
  /** Why the code is stopped. It stays stopped. */
  stopped: Ended | undefined;
  /** The engine's, as soon as there is one. */
  memory: WebAssembly.Memory | undefined;
  readonly used: Used;
  #limits: Limits;
  /** Never over while the code does not run. */
  #enteredAt = Number.POSITIVE_INFINITY;

  constructor(limits: Limits, used: Used) {
    this.#limits = limits;
    this.used = used;
  }

  enter(): void {
    this.#enteredAt = performance.now();
  }

  leave(): void {
    this.used.memory = this.memory?.buffer.byteLength ?? 0;
    this.used.time += performance.now() - this.#enteredAt;
    this.#enteredAt = Number.POSITIVE_INFINITY;
    // A long built-in does not ask, and what an earlier part of the run took may be too much already.
    this.#compare(this.used.time);
  }

  /** Whether the code must stop. */
  readonly look = (): boolean => {
    this.used.steps += STEPS_A_LOOK;
    this.#compare(this.used.time + performance.now() - this.#enteredAt);
    return this.stopped !== undefined;
  };

  #compare(time: number): void {
    if (this.used.steps > this.#limits.steps) this.stop({ as: "limit", limit: "steps" });
    if (time > this.#limits.time) this.stop({ as: "limit", limit: "time" });
  }

  /** The first reason counts. */
  stop(why: Ended): void {
    this.stopped ??= why;
  }
}
