import { sleep } from "../clock.ts";
import { MAX_TIMER_MS } from "../options/duration.ts";
import type { Services } from "./services.ts";

export interface Health {
  state: "running" | "draining" | "stopped";
  /** It takes calls, and what became of earlier ones is stored. */
  healthy: boolean;
  /** What could not be stored yet, and why. It is kept and written again until it is stored. */
  degraded?: string;
}

/** Whether an executor takes calls, and how it ends without leaving one unanswered. */
export class Lifecycle {
  readonly #services: Services;
  #state: Health["state"] = "running";

  constructor(services: Services) {
    this.#services = services;
  }

  start(): void {
    this.#state = "running";
    this.#services.closed = undefined;
    // Calls under way watch the signal they began with: it is replaced only once it has done its work.
    if (this.#services.stopping.signal.aborted) this.#services.stopping = new AbortController();
  }

  /** Resolves true once no call is under way, false when some still are after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#state === "running") {
      this.#state = "draining";
      this.#services.closed = "The executor is draining and takes no more calls.";
    }
    const { counters, clock } = this.#services;
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
    this.#services.closed = "The executor is stopped.";
    this.#services.stopping.abort();
    this.#services.attempts.cancelAll();
    return this.drain(timeoutMs);
  }

  /** `unstored` says why records of calls wait. */
  health(unstored?: string): Health {
    const degraded = [this.#services.held.problem, unstored].filter((each) => each !== undefined).join("; ");
    if (degraded !== "") return { state: this.#state, healthy: false, degraded };
    return { state: this.#state, healthy: this.#state === "running" };
  }
}
