import { RequestProblem } from "../http/problem.ts";

export interface SlotLimits {
  /** Calls under way at once that came over HTTP. */
  readonly calls: number;
  /** Calls that wait for one of those to end. */
  readonly queue: number;
  /** How long a call waits in that queue before it is refused. */
  readonly queueMs: number;
}

/** Records that wait to be written beyond which no call is begun. Far beyond that some would be lost. */
const MAX_UNRECORDED = 2_000;
/** How often it is looked whether they have been, while calls wait. */
const LOOK_MS = 5;

/** Calls that wait for slots. */
interface Waiting {
  readonly slots: number;
  readonly isHeld: boolean;
  go(): void;
  refuse(problem: RequestProblem): void;
}

/** Room for so many calls at once, as long as they can be recorded, and a queue of those that come after. */
export class CallSlots {
  readonly #limits: SlotLimits;
  readonly #unrecorded: () => number;
  readonly #queue: Waiting[] = [];
  /** Calls that are held and wait until they can be recorded: not behind those that wait for a place. */
  readonly #heldQueue: Waiting[] = [];
  #running = 0;
  #held = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: SlotLimits, unrecorded: () => number) {
    this.#limits = limits;
    this.#unrecorded = unrecorded;
  }

  get running(): number {
    return this.#running + this.#held;
  }

  get queued(): number {
    return this.#queue.length + this.#heldQueue.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Takes slots for calls, at once or when there are so many. Throws a problem when there are none to be had. Calls that are held
   * while they wait for the world, which may take days, have as many slots of their own.
   */
  enter(slots = 1, isHeld = false): undefined | Promise<void> {
    if (this.#closed) throw stopping();
    if (isHeld && this.#held + slots > this.#limits.calls) throw this.#overloaded();
    const queue = isHeld ? this.#heldQueue : this.#queue;
    if (queue.length === 0 && this.#fits(slots, isHeld)) {
      this.#take(slots, isHeld);
      return undefined;
    }
    if (this.queued >= this.#limits.queue) throw this.#overloaded();
    return this.#wait(queue, slots, isHeld);
  }

  leave(slots = 1, isHeld = false): void {
    this.#take(-slots, isHeld);
    this.#letIn(isHeld ? this.#heldQueue : this.#queue);
  }

  #take(slots: number, isHeld: boolean): void {
    if (isHeld) this.#held += slots;
    else this.#running += slots;
  }

  #letIn(queue: Waiting[]): void {
    for (let next = queue[0]; next !== undefined && this.#fits(next.slots, next.isHeld); next = queue[0]) {
      queue.shift();
      this.#take(next.slots, next.isHeld);
      next.go();
    }
  }

  /** From here on nobody comes in; those in the queue still do. */
  close(): void {
    this.#closed = true;
  }

  refuseQueued(): void {
    for (const queue of [this.#queue, this.#heldQueue])
      for (const each of queue.splice(0)) each.refuse(stopping());
  }

  #wait(queue: Waiting[], slots: number, isHeld: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        slots,
        isHeld,
        go() {
          clearTimeout(timer);
          resolve();
        },
        refuse(problem) {
          clearTimeout(timer);
          reject(problem);
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(this.#overloaded());
      }, this.#limits.queueMs);
      queue.push(waiting);
      this.#lookAgain();
    });
  }

  /** Records are written without anybody leaving. */
  #lookAgain(): void {
    if (this.queued === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#letIn(this.#queue);
      this.#letIn(this.#heldQueue);
      this.#lookAgain();
    }, LOOK_MS);
  }

  /** What is larger than everything there is goes alone. */
  #fits(slots: number, isHeld: boolean): boolean {
    if (this.#unrecorded() > MAX_UNRECORDED) return false;
    const taken = isHeld ? this.#held : this.#running;
    return taken === 0 || taken + slots <= this.#limits.calls;
  }

  #overloaded(): RequestProblem {
    const why =
      this.#unrecorded() > MAX_UNRECORDED
        ? "Too many calls wait to be recorded."
        : `${this.running} calls are under way and ${this.queued} wait.`;
    return new RequestProblem("OVERLOADED", `${why} Nothing of this one was begun; send it again later.`, {
      retryAfterMs: 1_000,
    });
  }
}

export function stopping(): RequestProblem {
  return new RequestProblem("OVERLOADED", "The server is about to stop and takes no more calls.", {
    retryAfterMs: 5_000,
  });
}
