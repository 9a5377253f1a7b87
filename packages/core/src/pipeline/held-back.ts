import { heldBackBy, type Stopped } from "../call/call-batch.ts";
import type { ToolResult } from "../call/result.ts";
import type { Execution } from "./execution.ts";

/** The result of a call that comes after one, in the same batch, with which a hook or guard ended the run. */
export function heldBack(execution: Execution, stopped: Stopped): ToolResult {
  return execution.failed(heldBackBy(stopped));
}
