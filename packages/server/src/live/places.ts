import { RequestProblem } from "../http/problem.ts";

export interface PlaceLimits {
  /** Calls under way at once that came over HTTP. */
  readonly calls: number;
  /** Calls that wait for one of those to end. */
  readonly queue: number;
  /** How long a call waits in that queue before it is refused. */
  readonly queueMs: number;
}

/** Records that wait to be written beyond which no call is begun. Far beyond that some would be lost. */
const MOST_UNRECORDED = 2_000;
/** How often it is looked whether they have been, while calls wait. */
const LOOK_MS = 5;

/** Calls that wait for places. */
interface Waiting {
  readonly places: number;
  go(): void;
  refuse(problem: RequestProblem): void;
}

/** Room for so many calls at once, as long as they can be recorded, and a queue of those that come after. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #unrecorded: () => number;
  readonly #queue: Waiting[] = [];
  #running = 0;
  #held = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: PlaceLimits, unrecorded: () => number) {
    this.#limits = limits;
    this.#unrecorded = unrecorded;
  }

  get running(): number {
    return this.#running + this.#held;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Takes places for calls, at once or when there are so many. Throws a problem when there are none to be had. Calls that are held
   * while they wait for the world, which may take days, have as many places of their own.
   */
  enter(places = 1, isHeld = false): undefined | Promise<void> {
    const { calls, queue } = this.#limits;
    if (this.#closed) throw stopping();
    if (isHeld) {
      if (this.#held + places > calls) throw this.#overloaded();
      this.#held += places;
      return undefined;
    }
    if (this.#queue.length === 0 && this.#fits(places)) {
      this.#running += places;
      return undefined;
    }
    if (this.#queue.length >= queue) throw this.#overloaded();
    return this.#wait(places);
  }

  leave(places = 1, isHeld = false): void {
    if (isHeld) {
      this.#held -= places;
      return;
    }
    this.#running -= places;
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.places); next = this.#queue[0]) {
      this.#queue.shift();
      this.#running += next.places;
      next.go();
    }
  }

  /** From here on nobody comes in; those in the queue still do. */
  close(): void {
    this.#closed = true;
  }

  refuseQueued(): void {
    for (const each of this.#queue.splice(0)) each.refuse(stopping());
  }

  #wait(places: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        places,
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
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(this.#overloaded());
      }, this.#limits.queueMs);
      this.#queue.push(waiting);
      this.#lookAgain();
    });
  }

  /** Records are written without anybody leaving. */
  #lookAgain(): void {
    if (this.#queue.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#letIn();
      this.#lookAgain();
    }, LOOK_MS);
  }

  /** What is larger than everything there is goes alone. */
  #fits(places: number): boolean {
    if (this.#unrecorded() > MOST_UNRECORDED) return false;
    return this.#running === 0 || this.#running + places <= this.#limits.calls;
  }

  #overloaded(): RequestProblem {
    const why =
      this.#unrecorded() > MOST_UNRECORDED
        ? "Too many calls wait to be recorded."
        : `${this.running} calls are under way and ${this.#queue.length} wait.`;
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
