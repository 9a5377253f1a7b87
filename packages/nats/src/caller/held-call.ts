import type { CallOptions, ToolResult, Waiting } from "@toolrig/core";
import type { CallFact } from "@toolrig/core/kit";
import type { ParkedResult } from "./pending-call.ts";

/**
 * A call whose caller waits for its result, and what is told while it waits for the world. That keeps no worker busy, so
 * it keeps no other call from being sent.
 */
export class HeldCall {
  readonly onWaiting: CallOptions["onWaiting"];
  readonly #window: { leave(): void };
  /** Undefined when nobody waits for the call to pass its guards. */
  readonly onAllowed: (() => void) | undefined;
  readonly #tell: (fact: CallFact) => void;
  #isOut = true;
  #waiting: { waiting: Waiting; since: number } | undefined;

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

  get wasParked(): boolean {
    return this.#waiting !== undefined;
  }

  onParked({ waiting }: ParkedResult): void {
    this.leave();
    this.onAllowed?.();
    this.#waiting = { waiting, since: Date.now() };
    this.#tell({ type: "call.waiting", waiting, parked: this.onWaiting === "return" });
  }

  /** Its caller goes on without it, and it here without its caller. */
  goesOn(waiting: Waiting): void {
    this.#tell({ type: "call.waiting", waiting, parked: true });
  }

  /** What it waited for has come, and this was its result. */
  ended({ failure, waiting: still }: ToolResult): void {
    if (this.#waiting === undefined || still !== undefined) return;
    const { waiting, since } = this.#waiting;
    const how = HOW[failure?.kind ?? ""] ?? "completed";
    this.#tell({ type: "call.resumed", waiting, how, waitedMs: Math.max(0, Date.now() - since) });
  }
}

const HOW: Readonly<Record<string, string>> = { timeout: "expired", cancelled: "cancelled", unknown: "lost" };
