import { wallTime } from "../../clock.ts";
import { MAX_TIMER_MS } from "../../options/duration.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Services } from "../services.ts";

/** How often a store is looked into that other processes write to. */
const LOOK_MS = 1_000;
const AT_ONCE = 16;
/** For so long a wait is its finder's. Whoever dies over it has a successor then. */
export const LEASE_MS = 90_000;

/**
 * Looks after the waits that are due: to be checked, to be ended, to be seen through. One timer, however many wait. Each is
 * looked at by one process at a time: taking it moves the time at which it is due.
 */
export class Keeper {
  readonly #services: Services;
  #see: ((wait: Wait) => Promise<void>) | undefined;
  #timer: unknown;
  #wakeAt = Number.POSITIVE_INFINITY;
  #always = false;
  #looking: Promise<void> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** What is done with a wait that is due and was taken. */
  handle(see: (wait: Wait) => Promise<void>): void {
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
    const { waits, clock } = this.#services;
    const nextAt = wallTime(clock) + LEASE_MS;
    const taken = await waits.revise(wait.id, (now) =>
      now.nextAt === wait.nextAt ? { ...now, nextAt } : undefined,
    );
    // A failure is not lost: the wait is due again when its lease is over.
    if (taken) await this.#see?.({ ...wait, nextAt }).catch(() => this.wake(nextAt));
    return taken;
  }
}
