import type { ToolCall, ToolResult } from "@toolrig/core";
import { failedResult, messageOf } from "@toolrig/core/kit";
import { PublishError } from "../wire/acked-publisher.ts";
import type { StartedState } from "../wire/messages.ts";

/** What a caller is told when its call did not get to a worker, or its result not back. */

interface Of {
  call: ToolCall;
  executionId: string;
}

export function refused({ call, executionId }: Of, error: unknown): ToolResult {
  if (error instanceof PublishError && error.isFull) {
    const message = "The fleet's queue is full. Try again in a while.";
    const details = { retryAfterMs: 1_000 };
    return failedResult(call, executionId, { code: "TOOL_RATE_LIMITED", message, details });
  }
  const message = `The call could not be submitted: ${messageOf(error)}`;
  return failedResult(call, executionId, { code: "TOOL_UNAVAILABLE", message });
}

export function tooManyWaiting({ call, executionId }: Of, waiting: number): ToolResult {
  const message = `${waiting} calls of ${call.name} wait in this process already, which is the most that may (maxWaiting). Try again in a while.`;
  const details = { retryAfterMs: 1_000 };
  return failedResult(call, executionId, { code: "TOOL_RATE_LIMITED", message, details });
}

export function forbidden({ call, executionId }: Of, subject: string): ToolResult {
  const message = `The NATS server does not let this caller call ${call.name} (${subject}).`;
  return failedResult(call, executionId, { code: "TOOL_NOT_ALLOWED", message });
}

/** The queue is there, and what is published on the subject does not get to it. */
export function notReached({ call, executionId }: Of, subject: string): ToolResult {
  const message = `The NATS server does not let this caller call ${call.name}: ${subject} leads nowhere from its account. Import it there and export it to it, as config/accounts.conf does.`;
  return failedResult(call, executionId, { code: "TOOL_NOT_ALLOWED", message });
}

export function cancelled({ call, executionId }: Of, when: string): ToolResult {
  const message = `The call was cancelled ${when}.`;
  return failedResult(call, executionId, { code: "TOOL_CANCELLED", message });
}

/** Somebody was asked to approve the call and had not answered when this came. */
export function unanswered(of: Of, ended: "cancelled" | "closed" | "late", afterMs: number): ToolResult {
  if (ended === "cancelled") return cancelled(of, "before it was submitted");
  if (ended === "closed") return closed(of);
  const message = `Nobody answered within ${afterMs} ms (queueTimeout) whether ${of.call.name} may run, so the call was not submitted.`;
  return failedResult(of.call, of.executionId, { code: "TOOL_UNAVAILABLE", message });
}

export function abandoned(of: Of): ToolResult {
  return unknown(
    of,
    "The caller closed its connection. The call may still run; its outcome is in the ledger.",
  );
}

/** The connection ended and is not made again, as when the caller's credentials are no longer good. */
export function cutOff(of: Of, error: unknown): ToolResult {
  const why = error === undefined ? "" : `: ${messageOf(error)}`;
  return unknown(
    of,
    `The connection to NATS ended for good${why}. The call may still run; its outcome is in the ledger.`,
  );
}

export function closed({ call, executionId }: Of): ToolResult {
  const message = "The call was not submitted: this caller's connection to NATS is closed.";
  return failedResult(call, executionId, { code: "TOOL_UNAVAILABLE", message });
}

export function replaced({ call, executionId }: Of): ToolResult {
  const message = `A worker began execution ${executionId}, and its entry in the ledger is now that of a call with other arguments. This one may have happened.`;
  return failedResult(call, executionId, { code: "TOOL_OUTCOME_UNKNOWN", message });
}

export function otherArguments({ call, executionId }: Of): ToolResult {
  const message = `Execution ${executionId} belongs to a call with other arguments, so this one did not run.`;
  return failedResult(call, executionId, { code: "TOOL_BLOCKED", message });
}

export function notTaken({ call, executionId }: Of, afterMs: number): ToolResult {
  const message = `No worker took the call within ${afterMs} ms; it was withdrawn and will not run. Is a worker with ${call.name} running?`;
  return failedResult(call, executionId, { code: "TOOL_UNAVAILABLE", message });
}

/** A worker started it and is gone, and no other took it over. */
export function orphaned({ call, executionId }: Of, state: StartedState, afterMs: number): ToolResult {
  const lost = `Worker ${state.worker} started ${nameOf(call)} and was lost before it reported, and no other worker took the call over within ${afterMs} ms`;
  return state.repeats
    ? failedResult(call, executionId, {
        code: "TOOL_UNAVAILABLE",
        message: `${lost}. It may have happened, and it may be called again.`,
      })
    : unknown({ call, executionId }, `${lost}. It may have happened; it was not run again.`);
}

export function cancelledOrphan({ call, executionId }: Of, { worker, repeats }: StartedState): ToolResult {
  const message = `Worker ${worker} started ${nameOf(call)} and was lost, and the call was cancelled. It may have happened; it was not run again.`;
  return repeats
    ? failedResult(call, executionId, { code: "TOOL_CANCELLED", message })
    : unknown({ call, executionId }, message);
}

export function lostEntry({ call, executionId }: Of): ToolResult {
  const message = `The ledger's entry of this call was deleted or overwritten. ${nameOf(call)} may have happened; verify before you try again.`;
  return unknown({ call, executionId }, message);
}

function unknown({ call, executionId }: Of, message: string): ToolResult {
  return failedResult(call, executionId, { code: "TOOL_OUTCOME_UNKNOWN", message });
}

/** Who asks for the outcome of another's call does not know its name. */
function nameOf({ name }: ToolCall): string {
  return name === "" ? "the tool" : name;
}

export function unreachable({ call, executionId }: Of, error: unknown): ToolResult {
  const message = `The fleet could not be reached: ${messageOf(error)}. The call may or may not have got there, and may still run.`;
  return unknown({ call, executionId }, message);
}

export function unreadable({ call, executionId }: Of, error: unknown): ToolResult {
  const message = `The call ended, but its result could not be read: ${messageOf(error)}`;
  return unknown({ call, executionId }, message);
}
