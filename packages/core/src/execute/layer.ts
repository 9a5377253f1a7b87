import type { Execution } from "../execution.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { ToolResult } from "../result.ts";
import type { System } from "../system.ts";
import type { AnyTool } from "../tool.ts";

/** Carries out a call that may run. Always answers with a result, never throws. */
export type Run = (execution: Execution) => MaybePromise<ToolResult>;

/** One layer around running a tool. It is left out for tools it does not apply to, and costs them nothing. */
export interface Layer {
  applies(tool: AnyTool, system: System): boolean;
  wrap(tool: AnyTool, system: System, next: Run): Run;
}
