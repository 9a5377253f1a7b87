import { type Clock, sleep, wallTime } from "../../clock.ts";
import { MAX_TIMER_MS } from "../../options/duration.ts";
import type { Wait, WaitStore } from "../../stores/waits.ts";

/** How often a store is looked into that other processes write to. */
const LOOK_MS = 1_000;
const AT_ONCE = 256;
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
  readonly #waits: WaitStore;
  readonly #clock: Clock;
  #see: ((wait: Wait, lease: Lease) => Promise<void>) | undefined;
  #timer: unknown;
  /** When it was asked to look, in whole seconds: however many wait, there are few. */
  readonly #wanted = new Set<number>();
  #wakeAt = Number.POSITIVE_INFINITY;
  #always = false;
  #paused = false;
  #stopped = new AbortController();
  #looking: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(waits: WaitStore, clock: Clock) {
    this.#waits = waits;
    this.#clock = clock;
  }

  /** Aborts when it is stopped, so that no check keeps it from that. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** What is done with a wait that is due and was taken. */
  handle(see: (wait: Wait, lease: Lease) => Promise<void>): void {
    this.#see = see;
  }

  /** Looks again and again, also for what other processes put there, until `stop`. */
  start(): void {
    this.#always = true;
    this.#paused = false;
    this.wake(0);
  }

  /** Goes on after `stop`, if it was started before. */
  restart(): void {
    if (this.#paused) this.start();
  }

  async stop(): Promise<void> {
    this.#paused ||= this.#always;
    this.#always = false;
    this.#stopped.abort();
    this.#clock.clear(this.#timer);
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#wanted.clear();
    await this.#looking;
    await Promise.all(this.#underWay);
    this.#stopped = new AbortController();
  }

  /** Looks no later than at this time. */
  wake(at: number | undefined): void {
    if (at === undefined) return;
    if (!this.#always) this.#wanted.add(Math.ceil(at / LOOK_MS) * LOOK_MS);
    if (at >= this.#wakeAt) return;
    this.#clock.clear(this.#timer);
    this.#wakeAt = at;
    // A timer counts whole milliseconds, and what it is a part of one too early for is not due.
    const inMs = Math.max(0, Math.ceil(at - wallTime(this.#clock)));
    this.#timer = this.#clock.set(() => this.#look(), Math.min(inMs, MAX_TIMER_MS));
    // What waits keeps no process alive: another one goes on with it.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #look(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#looking = this.#lookOnce().catch(() => {});
    void this.#looking.then(() => {
      const now = wallTime(this.#clock);
      this.wake(this.#always ? now + LOOK_MS : this.#nextWanted(now));
    });
  }

  #nextWanted(now: number): number | undefined {
    let next: number | undefined;
    for (const at of this.#wanted) {
      if (at <= now) this.#wanted.delete(at);
      else if (next === undefined || at < next) next = at;
    }
    return next;
  }

  /** One that takes its time keeps nobody else waiting: there is room for others beside it. */
  async #lookOnce(): Promise<void> {
    for (let taken = true; taken && this.#underWay.size < AT_ONCE; ) {
      taken = false;
      for (const wait of await this.#waits.due(wallTime(this.#clock), AT_ONCE - this.#underWay.size)) {
        const lease: Lease = { at: wait.nextAt ?? 0 };
        if (!(await this.#extend(wait, lease))) continue;
        taken = true;
        const seen = this.#seeTo(wait, lease);
        this.#underWay.add(seen);
        void seen.then(() => {
          if (this.#underWay.size === AT_ONCE) this.wake(0);
          this.#underWay.delete(seen);
        });
      }
    }
  }

  /** What fails is not lost: the wait is due again when its lease is over. */
  async #seeTo(wait: Wait, lease: Lease): Promise<void> {
    const over = new AbortController();
    void this.#stayAlive(wait, lease, over.signal);
    try {
      await this.#see?.(wait, lease);
    } catch {
      this.wake(lease.at);
    } finally {
      over.abort();
    }
  }

  async #stayAlive(wait: Wait, lease: Lease, over: AbortSignal): Promise<void> {
    while (await sleep(this.#clock, LEASE_MS / 3, over))
      if (!(await Promise.resolve(this.#extend(wait, lease)).catch(() => true))) return;
  }

  /** False when it is not due at the time of the lease any more: somebody else has it, or it is over. */
  async #extend({ id }: Wait, lease: Lease): Promise<boolean> {
    const [was, at] = [lease.at, wallTime(this.#clock) + LEASE_MS];
    const extended = await this.#waits.revise(id, (now) =>
      now.nextAt === was ? { ...now, nextAt: at } : undefined,
    );
    if (extended) lease.at = at;
    return extended;
  }
}
