import type { Principal, ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { PeerCall, Seat } from "../beneath/seat.ts";
import type { AgentsRunContext } from "./shape.ts";

const UNASKED = "nobody was asked about this call: what was approved had other arguments, or another run";

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

  /** Whether a call has interrupted its run. */
  has(runContext: AgentsRunContext, callId: string): boolean {
    return this.#asked.get(runContext)?.has(callId) === true;
  }

  /**
   * Makes a call that may run. One that was approved is so in the rig's inbox before it goes on. The SDK knows what was approved by
   * its id alone, and interrupts no run for another call under that id, or for one that another process had asked about in a run of
   * its own: such a call does not run, unless its tool was approved for good.
   */
  async call(runContext: AgentsRunContext, seat: Seat, call: PeerCall): Promise<ToolResult> {
    const { id: callId, name } = call;
    if (runContext.isToolApproved({ toolName: name, callId }) !== true) return seat.call(call);
    this.#asked.get(runContext)?.delete(callId);
    const isAsked = (await seat.asked(call)) !== undefined || (await seat.begin(call)) === undefined;
    return isAsked || isAlwaysApproved(runContext, name)
      ? seat.callAnswered(call, { approved: true, by: this.#by })
      : seat.callAnswered(call, { approved: false, by: this.#by, reason: UNASKED });
  }

  /** The SDK answers for a call that was rejected, and never comes back for it: its end is recorded when the run goes on. */
  async settleRejected(runContext: AgentsRunContext): Promise<void> {
    const asked = this.#asked.get(runContext);
    for (const [callId, { seat, call }] of asked ?? []) {
      const rejected = { toolName: call.name, callId };
      if (runContext.isToolApproved(rejected) !== false) continue;
      asked?.delete(callId);
      const reason = runContext.getRejectionMessage?.(call.name, callId);
      const answer = { approved: false, by: this.#by, ...defined({ reason }) };
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
