import type { ToolResult } from "../../call/result.ts";
import type { MaybePromise } from "../../maybe-promise.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Execution } from "../execution.ts";
import type { System } from "../services.ts";

/** Carries out a call that may run. Always answers with a result, never throws. */
export type Run = (execution: Execution) => MaybePromise<ToolResult>;

/** One layer around running a tool. It is left out for tools it does not apply to, and costs them nothing. */
export interface Layer {
  applies(tool: AnyTool, system: System): boolean;
  wrap(tool: AnyTool, system: System, next: Run): Run;
}
