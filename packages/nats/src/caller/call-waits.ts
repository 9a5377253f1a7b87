import type { CallExecutor, Principal } from "@toolrig/core";
import { type Wait, waitId } from "@toolrig/core/kit";
import type { LedgerEntry } from "../wire/call-ledger.ts";

type CallWaits = NonNullable<CallExecutor["waits"]>;

interface Parts {
  /** The ledger's entry of an execution of this caller's. Rejects when the ledger cannot be asked. */
  entryOf(executionId: string): Promise<LedgerEntry | undefined>;
  /** Asks for the end of an execution of this caller's. */
  cancel(executionId: string): void;
}

/** Code that goes on in the background has no wait of its own: its worker is asked after in so long. */
const BACKGROUND_MS = 10_000;

/** What calls of this caller wait for, as a loop asks: the fleet's ledger knows. Workers look after the waits themselves. */
export class FleetCallWaits implements CallWaits {
  readonly store: CallWaits["store"];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.store = { get: (id) => this.#get(id) };
  }

  start(): void {}

  async cancel(executionId: string, _how?: { by?: Principal; reason?: string }): Promise<boolean> {
    const found = await this.#parts.entryOf(executionId);
    if (found === undefined || found.state.state === "final") return false;
    this.#parts.cancel(executionId);
    return true;
  }

  /** Nothing ends in this process: whoever waits looks again. */
  onEnd(): () => void {
    return () => {};
  }

  async #get(id: string): Promise<Wait | undefined> {
    const executionId = id.slice(0, Math.max(0, id.lastIndexOf(":")));
    if (executionId === "") return undefined;
    const found = await this.#parts.entryOf(executionId);
    if (found === undefined) return undefined;
    const { state } = found;
    const at = state.state === "lost" ? Date.now() : state.at;
    const wait = { id, executionId, callId: "", name: "", createdAt: at, body: undefined };
    if (state.state === "waiting" && state.result.waiting.id === id) {
      const { waiting, callId, name } = state.result;
      const { expiresAt } = waiting;
      return { ...wait, callId, name, kind: waiting.kind, ...(expiresAt !== undefined && { expiresAt }) };
    }
    // A question that was answered has its code running again. Nothing but the background waits for a result while code runs.
    if (state.state === "started" && id === waitId(executionId, "result"))
      return { ...wait, kind: "background", nextAt: Date.now() + BACKGROUND_MS };
    return { ...wait, kind: "deferred", end: { how: "ended", at } };
  }
}
