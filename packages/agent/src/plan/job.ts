import type { Scope } from "./reference.ts";

/** One thing to do: a step, or one item of a map. */
export interface Job {
  /** The step's name, or "step[3]" for an item: what the journal knows it by. */
  id: string;
  stepName: string;
  scope: Scope;
  signal: AbortSignal;
}
