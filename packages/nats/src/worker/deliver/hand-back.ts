import type { ToolResult } from "@toolrig/core";
import { failedResult, mayRepeat } from "@toolrig/core/kit";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * The outcome of a call: its result, unless the worker stopped while the tool ran. Then what may run again does so elsewhere,
 * and the rest has an open outcome.
 */
export function handBack(
  { message, call, abort, tool }: Claimed,
  result: ToolResult,
  { worker, running, counters }: DeliveryParts,
): ToolResult | "settled" {
  if (!running.givenUp || abort.signal.aborted || !isCutOff(result)) return result;
  counters.handedBack += 1;
  if (mayRepeat(tool.safety)) {
    message.nak();
    return "settled";
  }
  const said = `Worker ${worker} was stopped while it ran ${tool.name}. It may have happened; it was not run again.`;
  return failedResult(call.call, call.executionId, { code: "TOOL_OUTCOME_UNKNOWN", message: said });
}

/** Whether the executor ended the call because it was stopped. */
function isCutOff({ failure }: ToolResult): boolean {
  return failure?.code === "TOOL_CANCELLED" || failure?.code === "TOOL_UNAVAILABLE";
}
