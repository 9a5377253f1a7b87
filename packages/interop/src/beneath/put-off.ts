import { failure, type ToolResult } from "@toolrig/core";
import type { PeerCall } from "./seat.ts";

/** What a tool of a peer answers that has stopped to wait for something of the peer's own, which starts it again. */
export function putOff(name: string): Error {
  const message = `${name} waits for its loop, which starts it again.`;
  return failure({ code: "TOOL_CANCELLED", message, details: { putOff: true } });
}

/**
 * Makes a call whose tool may have put it off before. What is recorded of that is no outcome: each time the peer comes back for it, the
 * tool is started anew, as an execution of its own.
 */
export async function goOn(
  make: (call: PeerCall) => Promise<ToolResult>,
  call: PeerCall,
): Promise<ToolResult> {
  let result = await make(call);
  for (let nth = 1; result.replayed === true && isPutOff(result); nth++) {
    const { turn } = call;
    result = await make({ ...call, turn: `${turn === undefined ? "" : `${turn}_`}resumed_${nth}` });
  }
  return result;
}

function isPutOff({ failure: cause }: ToolResult): boolean {
  return (cause?.details as { putOff?: unknown } | undefined)?.putOff === true;
}
