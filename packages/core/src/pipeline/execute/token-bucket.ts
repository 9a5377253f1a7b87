import type { Clock } from "../../clock.ts";

/** Lets `limit` starts through at once and refills evenly, so that no window of `perMs` sees more than twice that. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #msPerToken: number;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, limit: number, perMs: number) {
    this.#clock = clock;
    this.#limit = limit;
    this.#msPerToken = perMs / limit;
    this.#tokens = limit;
    this.#filledAt = clock.now();
  }

  /** Milliseconds until a token taken now would be there. 0 when there is one. */
  get waitMs(): number {
    this.#refill();
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) * this.#msPerToken);
  }

  /** Takes a token, going into debt when there is none: the caller waits `waitMs` first, in order of taking. */
  take(): void {
    this.#refill();
    this.#tokens -= 1;
  }

  /** Gives back a token that was not used. */
  give(): void {
    this.#tokens = Math.min(this.#limit, this.#tokens + 1);
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#limit, this.#tokens + (now - this.#filledAt) / this.#msPerToken);
    this.#filledAt = now;
  }
}
