import type { CallOptions, ToolResult, Waiting } from "@toolrig/core";
import { type CallFact, HeldCall, isWaiting } from "@toolrig/core/kit";
import type { ParkedResult } from "./pending-call.ts";

/**
 * Tells what becomes of a call while its caller waits for the result. A call that waits for the world keeps no worker busy, so it
 * keeps no other call from being sent.
 */
export class ToldCall {
  readonly onWaiting: CallOptions["onWaiting"];
  readonly #window: { leave(): void };
  /** Undefined when nobody waits for the call to pass its guards. */
  readonly onAllowed: (() => void) | undefined;
  readonly #tell: (fact: CallFact) => void;
  #isOut = true;
  readonly #held = new HeldCall();

  constructor(
    onWaiting: CallOptions["onWaiting"],
    window: { leave(): void },
    { tell, onAllowed }: { tell: (fact: CallFact) => void; onAllowed?: (() => void) | undefined },
  ) {
    this.onWaiting = onWaiting;
    this.#window = window;
    this.#tell = tell;
    this.onAllowed = onAllowed;
  }

  /** It makes room for others, once. */
  leave(): void {
    if (!this.#isOut) return;
    this.#isOut = false;
    this.#window.leave();
  }

  /** Whether it waits or waited for the world. */
  get wasParked(): boolean {
    return this.#held.state.at === "waiting";
  }

  onParked({ waiting }: ParkedResult): void {
    this.leave();
    this.onAllowed?.();
    this.#held.waits(waiting);
    this.#tell({ type: "call.waiting", waiting, parked: this.onWaiting === "return" });
  }

  /** Its caller goes on without it, and it here without its caller. */
  goesOn(waiting: Waiting): void {
    this.#tell({ type: "call.waiting", waiting, parked: true });
  }

  /** What it waited for has come, and this was its result. */
  ended(result: ToolResult): void {
    const { state } = this.#held;
    this.#held.answered(result);
    if (state.at !== "waiting" || isWaiting(result)) return;
    const { waiting, since } = state;
    const how = HOW[result.failure?.kind ?? ""] ?? "completed";
    this.#tell({ type: "call.resumed", waiting, how, waitedMs: Math.max(0, Date.now() - since) });
  }
}

const HOW: Readonly<Record<string, string>> = { timeout: "expired", cancelled: "cancelled", unknown: "lost" };
