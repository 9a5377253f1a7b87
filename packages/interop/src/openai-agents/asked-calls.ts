import type { Principal } from "@toolrig/core";
import type { PeerCall, Seat } from "../beneath/seat.ts";
import type { AgentsRunContext } from "./shape.ts";

interface Asked {
  seat: Seat;
  call: PeerCall;
}

/** Calls that interrupted their run until somebody approves or rejects them. */
export class AskedCalls {
  readonly #by: Principal;
  readonly #asked = new WeakMap<AgentsRunContext, Map<string, Asked>>();

  constructor(by: Principal) {
    this.#by = by;
  }

  add(runContext: AgentsRunContext, seat: Seat, call: PeerCall): void {
    const asked = this.#asked.get(runContext) ?? new Map<string, Asked>();
    this.#asked.set(runContext, asked.set(call.id, { seat, call }));
  }

  /** Writes an approval into the rig's inbox, before the call goes on. */
  async approved(runContext: AgentsRunContext, seat: Seat, call: PeerCall): Promise<void> {
    const { id: callId, name } = call;
    if (runContext.isToolApproved({ toolName: name, callId }) !== true) return;
    this.#asked.get(runContext)?.delete(callId);
    await seat.answer(call, { approved: true, by: this.#by });
  }

  /** The SDK answers for a call that was rejected, and never comes back for it: its end is recorded when the run goes on. */
  async settleRejected(runContext: AgentsRunContext): Promise<void> {
    const asked = this.#asked.get(runContext);
    for (const [callId, { seat, call }] of asked ?? []) {
      const rejected = { toolName: call.name, callId };
      if (runContext.isToolApproved(rejected) !== false) continue;
      asked?.delete(callId);
      const reason = runContext.getRejectionMessage?.(call.name, callId);
      const answer = { approved: false, by: this.#by, ...(reason !== undefined && { reason }) };
      await seat.answer(call, answer);
      await seat.call({ ...call, onWaiting: "return" });
    }
  }
}
