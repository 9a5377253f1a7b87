import type { ToolResult } from "@toolrig/core";
import { failedResult, isWaiting, mayRepeat, waitingAnswer } from "@toolrig/core/kit";
import { isAlive } from "../../fleet/is-alive.ts";
import type { LedgerEntry } from "../../wire/call-ledger.ts";
import { type CallMessage, UNKNOWN_CALL } from "../../wire/messages.ts";
import { asAsked } from "../as-asked.ts";
import type { Admitted } from "./admit.ts";
import { waitingEntry } from "./park.ts";
import type { DeliveryParts } from "./parts.ts";
import { isPoison, putAside, putAsidePoison } from "./put-aside.ts";

/** Start the call, as which attempt; write that it waits; end it with a result; or nothing: it is done, or somebody else is at it. */
export type Step =
  | { start: number }
  | { wait: string; isAnswered: boolean }
  | { end: ToolResult; counts: "unknown" | "duplicates" }
  | "settled";

/** What to do about a call that has an entry in the ledger already. */
export async function nextStep(
  known: LedgerEntry["state"],
  admitted: Admitted,
  parts: DeliveryParts,
): Promise<Step> {
  const { message, call, tool } = admitted;
  if (known.state === "lost") return { end: lost(call), counts: "unknown" };
  if (known.state === "final" && known.fingerprint === UNKNOWN_CALL) {
    parts.plainResults.tell(call, lost(call));
    message.ack();
    return "settled";
  }
  if (known.fingerprint !== call.fingerprint) {
    await putAside(admitted, "another call has this execution id", parts);
    const said = `Execution ${call.executionId} belongs to a call with other arguments, so this one did not run.`;
    const blocked = failedResult(call.call, call.executionId, { code: "TOOL_BLOCKED", message: said });
    parts.plainResults.tell(call, blocked);
    message.ack();
    return "settled";
  }
  if (known.state === "final") {
    message.ack();
    return "settled";
  }
  if (known.state === "waiting") {
    // One that asked is started anew once it has its answers. That it was started before says nothing against it.
    const isAnswered = known.result.waiting.kind === "question" && !(await parts.parked.isAsking(call));
    if (isAnswered) {
      await parts.parked.pass(call);
      return { start: known.attempt };
    }
    // Its worker may have died before it looked for what came early.
    await parts.early.bring(call.pipelineId);
    message.ack();
    return "settled";
  }
  if (await isOwned(known.worker, admitted, parts)) {
    message.nak(parts.ackWaitMs);
    return "settled";
  }
  const wait = await parts.parked.waitOf(call);
  if (wait !== undefined) {
    const answer = asAsked(call, waitingAnswer(call.call, wait, known.attempt));
    if (!isWaiting(answer)) return "settled";
    const isAnswered = wait.kind === "question" && wait.end !== undefined;
    return { wait: waitingEntry({ call }, answer, known.attempt, parts.payloads), isAnswered };
  }
  if (!mayRepeat(tool.safety)) {
    const said = `Worker ${known.worker} started ${call.call.name} and was lost before it reported. It may have happened; it was not run again.`;
    const failure = { code: "TOOL_OUTCOME_UNKNOWN", message: said } as const;
    return { end: failedResult(call.call, call.executionId, failure), counts: "unknown" };
  }
  if (!isPoison(known.attempt, parts)) return { start: known.attempt + 1 };
  return { end: await putAsidePoison(admitted, known.attempt, parts), counts: "duplicates" };
}

function lost({ call, executionId }: CallMessage): ToolResult {
  const message = `The ledger's entry of this call was deleted or overwritten. ${call.name} may have happened; it was not run again.`;
  return failedResult(call, executionId, { code: "TOOL_OUTCOME_UNKNOWN", message });
}

/**
 * A worker keeps its lease on a call by renewing the message. A message that comes again shows that this one was not
 * renewed, so a short question is enough; a copy shows nothing, so the owner gets as long as a lease lasts to answer.
 */
async function isOwned(
  owner: string,
  { message, call }: Admitted,
  { worker, connection, ackWaitMs }: DeliveryParts,
): Promise<boolean> {
  if (owner === worker) return false;
  return isAlive(connection, owner, call.key, message.redelivered ? 0 : ackWaitMs);
}
