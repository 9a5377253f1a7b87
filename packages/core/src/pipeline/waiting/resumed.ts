import { evictOldest } from "../../evict-oldest.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";

/** How many executions are remembered that were put aside in this process. */
const MAX_ASIDE = 10_000;

/** Executions that this process has put aside because they wait for the world. Bounded: the oldest is forgotten first. */
export class PutAside {
  readonly #states = new Map<string, "waiting" | "over">();

  waits(executionId: string): void {
    this.#set(executionId, "waiting");
  }

  /** Called for an execution that has its result. */
  over(executionId: string): void {
    if (this.#states.size > 0 && this.#states.has(executionId)) this.#set(executionId, "over");
  }

  stateOf(executionId: string): "waiting" | "over" | undefined {
    return this.#states.get(executionId);
  }

  #set(executionId: string, state: "waiting" | "over"): void {
    this.#states.delete(executionId);
    this.#states.set(executionId, state);
    evictOldest(this.#states, MAX_ASIDE);
  }
}

/**
 * Returns whether the call continues an execution that guards let pass before and that was put aside since, here or in another
 * process. One that is over is not continued: made again under its id, it is a new call for guards.
 */
export function isResumed(execution: Resolved): MaybePromise<boolean> {
  const { options, services, id } = execution;
  if (options.executionId === undefined) return false;
  const state = services.putAside.stateOf(id);
  if (state !== undefined) return state === "waiting";
  try {
    const known = services.waits.hasWaited?.(id, execution.tool.name);
    return isThenable(known)
      ? Promise.resolve(known).then(
          (waited) => waited === true,
          () => false,
        )
      : known === true;
  } catch {
    // A store that cannot say makes it a new call, which guards count.
    return false;
  }
}
