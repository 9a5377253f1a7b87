import type { ToolResult } from "../../call/result.ts";
import type { MaybePromise } from "../../maybe-promise.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import type { Services } from "../services.ts";

/** Carries out what is left of an execution. Always answers with a result, never throws. */
export type Next = (execution: Resolved) => MaybePromise<ToolResult>;

/** One layer around the attempts of a tool. It is left out for tools it does not apply to, and costs them nothing. */
export interface Layer {
  applies(tool: AnyTool, services: Services): boolean;
  wrap(tool: AnyTool, services: Services, next: Next): Next;
}
