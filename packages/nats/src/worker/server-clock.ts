import { type Clock, systemClock, wallTime } from "@toolrig/core/kit";

/** A clock that differs by less goes on as it is, in milliseconds: that is how exactly the server's is known. */
const EXACT_MS = 1_000;

/** The time of the server, which all workers share: their own clocks may be hours apart, and waits expire by one. */
export class ServerClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return wallTime(systemClock) + this.#aheadMs;
  }

  set(callback: () => void, ms: number): unknown {
    return systemClock.set(callback, ms);
  }

  clear(timer: unknown): void {
    systemClock.clear(timer);
  }

  /** Takes note of what time it was at the server when it answered. Asked for and answered in the times of `systemClock`. */
  learn(serverTime: string | undefined, askedAt: number): void {
    const there = Date.parse(serverTime ?? "");
    if (Number.isNaN(there)) return;
    const here = (askedAt + wallTime(systemClock)) / 2;
    const aheadMs = there - here;
    if (Math.abs(aheadMs - this.#aheadMs) >= EXACT_MS)
      this.#aheadMs = Math.abs(aheadMs) < EXACT_MS ? 0 : aheadMs;
  }
}
