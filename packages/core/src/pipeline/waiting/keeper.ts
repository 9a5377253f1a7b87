import { sleep, wallTime } from "../../clock.ts";
import { MAX_TIMER_MS } from "../../options/duration.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Services } from "../services.ts";

/** How often a store is looked into that other processes write to. */
const LOOK_MS = 1_000;
const AT_ONCE = 16;
/** For so long a wait is its finder's, who says in good time that it still is. Whoever dies over it has a successor then. */
export const LEASE_MS = 10_000;

/** A wait that was taken is due again at this time, unless its taker lives. */
export interface Lease {
  at: number;
}

/**
 * Looks after the waits that are due: to be checked, to be ended, to be seen through. One timer, however many wait. Each is
 * looked at by one process at a time: taking it moves the time at which it is due.
 */
export class Keeper {
  readonly #services: Services;
  #see: ((wait: Wait, lease: Lease) => Promise<void>) | undefined;
  #timer: unknown;
  #wakeAt = Number.POSITIVE_INFINITY;
  #always = false;
  #looking: Promise<void> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** What is done with a wait that is due and was taken. */
  handle(see: (wait: Wait, lease: Lease) => Promise<void>): void {
    this.#see = see;
  }

  /** Looks again and again, also for what other processes put there, until `stop`. */
  start(): void {
    this.#always = true;
    this.wake(0);
  }

  async stop(): Promise<void> {
    this.#always = false;
    this.#services.clock.clear(this.#timer);
    this.#wakeAt = Number.POSITIVE_INFINITY;
    await this.#looking;
  }

  /** Looks no later than at this time. */
  wake(at: number | undefined): void {
    if (at === undefined || at >= this.#wakeAt) return;
    const { clock } = this.#services;
    clock.clear(this.#timer);
    this.#wakeAt = at;
    const inMs = Math.max(0, at - wallTime(clock));
    this.#timer = clock.set(() => this.#look(), Math.min(inMs, MAX_TIMER_MS));
    // What waits keeps no process alive: another one goes on with it.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #look(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#looking = this.#lookOnce().catch(() => {});
    void this.#looking.then(() => {
      if (this.#always) this.wake(wallTime(this.#services.clock) + LOOK_MS);
    });
  }

  async #lookOnce(): Promise<void> {
    const { waits, clock } = this.#services;
    for (;;) {
      const due = await waits.due(wallTime(clock), AT_ONCE);
      const seen = await Promise.all(due.map((wait) => this.#take(wait)));
      if (!seen.some((taken) => taken)) return;
    }
  }

  async #take(wait: Wait): Promise<boolean> {
    if (wait.nextAt === undefined) return false;
    const lease: Lease = { at: wait.nextAt };
    if (!(await this.#extend(wait, lease))) return false;
    const over = new AbortController();
    void this.#stayAlive(wait, lease, over.signal);
    try {
      await this.#see?.(wait, lease);
    } catch {
      // It is not lost: the wait is due again when its lease is over.
      this.wake(lease.at);
    } finally {
      over.abort();
    }
    return true;
  }

  async #stayAlive(wait: Wait, lease: Lease, over: AbortSignal): Promise<void> {
    while (await sleep(this.#services.clock, LEASE_MS / 3, over))
      if (!(await Promise.resolve(this.#extend(wait, lease)).catch(() => true))) return;
  }

  /** False when it is not due at the time of the lease any more: somebody else has it, or it is over. */
  async #extend({ id }: Wait, lease: Lease): Promise<boolean> {
    const { waits, clock } = this.#services;
    const [was, at] = [lease.at, wallTime(clock) + LEASE_MS];
    const extended = await waits.revise(id, (now) =>
      now.nextAt === was ? { ...now, nextAt: at } : undefined,
    );
    if (extended) lease.at = at;
    return extended;
  }
}
