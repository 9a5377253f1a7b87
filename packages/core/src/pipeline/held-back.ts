import type { ToolResult } from "../call/result.ts";
import type { Execution } from "./execution.ts";

/** The result of a call that comes after one, in the same batch, with which a hook or guard ended the run. */
export function heldBack(execution: Execution, { call, stop }: Execution): ToolResult {
  return execution.failed({
    code: "TOOL_BLOCKED",
    message: `The call did not run: ${call.name}, which was called before it, stopped the run (${stop}).`,
    details: { stoppedBy: call.id },
  });
}
