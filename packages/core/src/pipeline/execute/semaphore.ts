/** Whoever holds or waits for a slot. */
export interface Holder {
  /** Who called it: cannot let go of its slots before this one has ended. */
  readonly parent: Holder | undefined;
}

interface Waiting {
  holder: Holder;
  grant: () => void;
}

/** Everybody who waits for a slot anywhere, and for which. */
const waitingFor = new Map<Holder, Semaphore>();

/** At most `limit` holders at once; others wait in order. */
export class Semaphore {
  readonly #limit: number;
  readonly #holders = new Set<Holder>();
  readonly #waiting = new Set<Waiting>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot now, if there is one. */
  tryAcquire(holder: Holder): boolean {
    if (this.#holders.size >= this.#limit || this.#waiting.size > 0) return false;
    this.#holders.add(holder);
    return true;
  }

  /**
   * Waits for a slot. False, holding nothing, when the signal aborts first, or at once when it could never come: everybody
   * who holds one waits, directly or through others, for whoever called `holder`.
   */
  acquire(holder: Holder, signal: AbortSignal): Promise<boolean> | false {
    if (signal.aborted || this.#isDeadlock(holder)) return false;
    return new Promise((resolve) => {
      const end = (granted: boolean) => {
        signal.removeEventListener("abort", onAbort);
        waitingFor.delete(holder);
        resolve(granted);
      };
      const waiting: Waiting = { holder, grant: () => end(true) };
      const onAbort = () => {
        this.#waiting.delete(waiting);
        end(false);
      };
      this.#waiting.add(waiting);
      waitingFor.set(holder, this);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  release(holder: Holder): void {
    this.#holders.delete(holder);
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#holders.add(next.holder);
    next.grant();
  }

  #isDeadlock(holder: Holder): boolean {
    if (holder.parent === undefined) return false;
    const callers = new Set<Holder>();
    for (let each = holder.parent as Holder | undefined; each !== undefined; each = each.parent)
      callers.add(each);
    return this.#isStuck(callers, new Set());
  }

  /** Whether nobody lets go of a slot before one of the callers has ended. */
  #isStuck(callers: ReadonlySet<Holder>, seen: Set<Semaphore>): boolean {
    if (seen.has(this)) return true;
    seen.add(this);
    for (const holder of this.#holders) {
      const slots = callers.has(holder) ? undefined : waitedForBy(holder);
      if (!callers.has(holder) && (slots === undefined || !slots.#isStuck(callers, seen))) return false;
    }
    return true;
  }
}

/** What a holder waits for, itself or through the calls it made. */
function waitedForBy(holder: Holder): Semaphore | undefined {
  for (const [waiting, semaphore] of waitingFor) {
    for (let each: Holder | undefined = waiting; each !== undefined; each = each.parent)
      if (each === holder) return semaphore;
  }
  return undefined;
}
