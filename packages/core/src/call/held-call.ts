import { isWaiting, type ToolResult } from "./result.ts";
import type { Waiting } from "./waiting.ts";

/** The state of a call as its caller sees it. */
export type HeldState =
  /** It was made, or is still to be made, and has no answer yet. */
  | { readonly at: "out" }
  /** It is not over, and this is what it waits for. `since`: when its caller was told first, in epoch milliseconds. */
  | { readonly at: "waiting"; readonly waiting: Waiting; readonly since: number }
  | { readonly at: "over"; readonly result: ToolResult };

const OUT: HeldState = { at: "out" };

/**
 * A call as its caller sees it, whoever that is: a loop, a script, a fleet's caller. It is over once and stays so: a later
 * answer changes nothing.
 */
export class HeldCall {
  #state: HeldState = OUT;

  get state(): HeldState {
    return this.#state;
  }

  /** The result, once there is one. */
  get result(): ToolResult | undefined {
    return this.#state.at === "over" ? this.#state.result : undefined;
  }

  /** What it waits for; undefined when it does not, or is over. */
  get waiting(): Waiting | undefined {
    return this.#state.at === "waiting" ? this.#state.waiting : undefined;
  }

  /** Takes an answer: a result, or what the call waits for. */
  answered(result: ToolResult): void {
    if (isWaiting(result)) this.waits(result.waiting);
    else if (this.#state.at !== "over") this.#state = { at: "over", result };
  }

  waits(waiting: Waiting): void {
    if (this.#state.at === "over") return;
    const since = this.#state.at === "waiting" ? this.#state.since : Date.now();
    this.#state = { at: "waiting", waiting, since };
  }
}
