import { evictOldest } from "../evict-oldest.ts";

/** How many runs are remembered. */
const MAX_RUNS = 10_000;

/**
 * What a guard remembers of each run. Bounded: the run that was not heard of for longest is forgotten first, so that a
 * run under way does not lose its state to others that come and go.
 */
export class RunStates<State> {
  readonly #states = new Map<string, State>();
  readonly #make: (runId: string) => State;
  readonly #onForgotten: ((runId: string, state: State) => void) | undefined;
  readonly #most: number;
  /** The run asked for last, which needs no moving. */
  #latest: { runId: string; state: State } | undefined;

  constructor(
    make: (runId: string) => State,
    {
      most = MAX_RUNS,
      onForgotten,
    }: { most?: number; onForgotten?: (runId: string, state: State) => void } = {},
  ) {
    this.#make = make;
    this.#most = most;
    this.#onForgotten = onForgotten;
  }

  /** Calls without a run count as one. */
  of(runId = ""): State {
    if (this.#latest?.runId === runId) return this.#latest.state;
    let state = this.#states.get(runId);
    if (state === undefined) state = this.#make(runId);
    else this.#states.delete(runId);
    this.#states.set(runId, state);
    this.#latest = { runId, state };
    const forgotten = evictOldest(this.#states, this.#most);
    if (forgotten !== undefined) this.#onForgotten?.(...forgotten);
    return state;
  }

  /** What is remembered of a run, if anything. Does not count as hearing of it. */
  peek(runId: string): State | undefined {
    return this.#states.get(runId);
  }

  /** Forgets the run that was not heard of for longest. False when there is none but the one asked for last. */
  forgetOldest(): boolean {
    if (this.#states.size < 2) return false;
    const forgotten = evictOldest(this.#states, this.#states.size - 1);
    if (forgotten !== undefined) this.#onForgotten?.(...forgotten);
    return true;
  }

  delete(runId: string): void {
    this.#states.delete(runId);
    if (this.#latest?.runId === runId) this.#latest = undefined;
  }
}
