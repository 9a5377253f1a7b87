import type { Principal, ToolResult } from "@toolrig/core";
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

  /**
   * Makes a call that may run. One that was approved is so in the rig's inbox before it goes on. The SDK knows what was approved by
   * its id alone, and asks nobody about another call under that id: such a call waits in the inbox, unless its tool was approved
   * for good.
   */
  async call(runContext: AgentsRunContext, seat: Seat, call: PeerCall): Promise<ToolResult> {
    const { id: callId, name } = call;
    if (runContext.isToolApproved({ toolName: name, callId }) !== true) return seat.call(call);
    this.#asked.get(runContext)?.delete(callId);
    if (isAlwaysApproved(runContext, name)) await seat.begin(call);
    return seat.callAnswered(call, { approved: true, by: this.#by });
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
      // Whatever the inbox says of it, it does not run: the model has been told so.
      await seat.answer(call, answer).catch(() => {});
      const message = `${call.name} did not run: ${reason ?? "it was rejected"}.`;
      await seat.refuse(call, { code: "TOOL_APPROVAL_REJECTED", message });
    }
  }
}

function isAlwaysApproved(runContext: AgentsRunContext, name: string): boolean {
  return runContext.toJSON?.().approvals?.[name]?.approved === true;
}
