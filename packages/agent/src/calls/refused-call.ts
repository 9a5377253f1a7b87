import {
  type CallEvent,
  type CallExecutor,
  type FailureInput,
  failedResult,
  newId,
  type ToolCall,
  type ToolResult,
} from "@toolrig/core";
import type { Trace } from "../loop/events.ts";

/** The result of a call that the loop answers itself because it must not run. */
export function refusedResult(call: ToolCall, input: FailureInput, executionId = newId("exec")): ToolResult {
  return failedResult(call, executionId, input);
}

/** Puts a refused call on the executor's stream, so that it is seen and recorded like every other. */
export function announceRefused(
  { events }: CallExecutor,
  call: ToolCall,
  result: ToolResult,
  trace: Trace,
  at: number,
): void {
  if (!events.active) return;
  const base = { at, executionId: result.executionId, callId: call.id, name: call.name, ...trace };
  const start = { ...base, type: "call.start", arguments: call.arguments, source: "model" };
  const end = { ...base, type: "call.end", result, args: call.arguments, startedAt: at, endedAt: at };
  for (const event of [start, end]) events.emit({ ...event, seq: events.nextSeq() } as CallEvent);
}
