/** `limit` requests at once, refilled evenly over `perMs`. */
export interface RateLimit {
  limit: number;
  perMs: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Whoever has not been seen for longest is forgotten first: their bucket is full again. */
const MOST = 10_000;

/** How often each of many may come. */
export class RateLimiter {
  readonly #rate: RateLimit;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: RateLimit) {
    this.#rate = rate;
  }

  /** 0 when they may; otherwise after how many milliseconds they may again. */
  take(who: string, now: number): number {
    const { limit, perMs } = this.#rate;
    const known = this.#buckets.get(who);
    const left =
      known === undefined
        ? limit
        : Math.min(limit, known.left + (Math.max(0, now - known.at) * limit) / perMs);
    const may = left >= 1;
    this.#buckets.delete(who);
    this.#buckets.set(who, { left: may ? left - 1 : left, at: now });
    if (this.#buckets.size > MOST) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return may ? 0 : ((1 - left) * perMs) / limit;
  }
}
