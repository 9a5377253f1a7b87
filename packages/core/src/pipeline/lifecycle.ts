import { sleep } from "../clock.ts";
import { MAX_TIMER_MS } from "../options/duration.ts";
import type { System } from "./services.ts";

export interface Health {
  state: "running" | "draining" | "stopped";
  healthy: boolean;
}

/** Whether an executor takes calls, and how it ends without leaving one unanswered. */
export class Lifecycle {
  readonly #system: System;
  #state: Health["state"] = "running";

  constructor(system: System) {
    this.#system = system;
  }

  start(): void {
    this.#state = "running";
    this.#system.closed = undefined;
    // Calls under way watch the signal they began with: it is replaced only once it has done its work.
    if (this.#system.stopping.signal.aborted) this.#system.stopping = new AbortController();
  }

  /** Resolves true once no call is under way, false when some still are after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#state === "running") {
      this.#state = "draining";
      this.#system.closed = "The executor is draining and takes no more calls.";
    }
    const { counters, clock } = this.#system;
    if (counters.inFlight === 0) return true;
    const waiting = new AbortController();
    const drained = await Promise.race([
      counters.idle().then(() => true),
      sleep(clock, Math.min(timeoutMs, MAX_TIMER_MS), waiting.signal).then(() => false),
    ]);
    waiting.abort();
    return drained;
  }

  async stop(timeoutMs: number): Promise<boolean> {
    this.#state = "stopped";
    this.#system.closed = "The executor is stopped.";
    this.#system.stopping.abort();
    this.#system.running.cancelAll();
    return this.drain(timeoutMs);
  }

  health(): Health {
    return { state: this.#state, healthy: this.#state === "running" };
  }
}
