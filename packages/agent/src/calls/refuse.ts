import type { CallExecutor, CallOptions, FailureInput, ToolCall, ToolResult } from "@toolrig/core";
import { callStart, emitCallEvent, failedResult, newId } from "@toolrig/core/kit";

/** The result of a call that the loop answers itself because it must not run. */
export function refusedResult(call: ToolCall, input: FailureInput, executionId = newId("exec")): ToolResult {
  return failedResult(call, executionId, input);
}

/** Puts a refused call on the executor's stream, so that it is seen and recorded like those that ran. */
export function announceRefused(
  { events }: CallExecutor,
  call: ToolCall,
  options: CallOptions,
  result: ToolResult,
  at: number,
): void {
  const subject = { id: result.executionId, call, options };
  emitCallEvent(events, at, subject, callStart(call, options, events));
  const args = call.arguments;
  emitCallEvent(events, at, subject, { type: "call.end", result, args, startedAt: at, endedAt: at });
}
