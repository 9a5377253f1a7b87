import { AsyncLocalStorage } from "node:async_hooks";

/** What a run holds until it ends or pauses. */
export interface Place {
  /** 0, or one more than that of the run whose call it is. Nobody waits for a place of its own level, or of a lower one. */
  readonly level: number;
  isHeld: boolean;
  readonly outer: Place | undefined;
}

const within = new AsyncLocalStorage<Place>();

/** The place that a run needs which is started here. Follows calls of runs through whatever they call in this process. */
export function placeHere(): Place {
  let outer = within.getStore();
  while (outer?.isHeld === false) ({ outer } = outer);
  return { level: outer === undefined ? 0 : outer.level + 1, isHeld: true, outer };
}

/** Calls something of which the run that holds the place waits for the answer. */
export function callWithin<Answer>(place: Place, call: () => Answer): Answer {
  return within.run(place, call);
}
