import type { ToolResult } from "../../call/result.ts";
import { isForCaller } from "../../tool/for-caller.ts";
import { missingFrom } from "../../tool/safety.ts";
import type { Execution, Resolved } from "../execution.ts";
import { shownName } from "./shown-name.ts";

/** How deep tools may call tools before it counts as runaway recursion. */
const MAX_DEPTH = 16;

export function refuseTooDeep(execution: Execution): ToolResult | undefined {
  if (depthOf(execution) <= MAX_DEPTH) return undefined;
  const message = `Tools called tools ${MAX_DEPTH} deep; ${shownName(execution.call.name)} was not called.`;
  return execution.failed({ code: "TOOL_BUDGET_EXCEEDED", message });
}

/** A tool calls no tool that needs what it does not have itself. One that acts for its caller has what that has. */
export function refuseBeyondCaller(execution: Resolved): ToolResult | undefined {
  const { tool } = execution;
  let { parent } = execution;
  while (parent !== undefined && isForCaller(parent.tool)) parent = parent.parent;
  if (parent === undefined) return undefined;
  const missing = missingFrom(parent.tool.safety, tool.safety);
  if (missing.length === 0) return undefined;
  const message = `${parent.tool.name} cannot call ${tool.name}: it does not have ${missing.join(" and ")} itself.`;
  return execution.failed({ code: "TOOL_NOT_ALLOWED", message });
}

function depthOf(execution: Execution): number {
  let depth = 0;
  for (let each = execution.parent; each !== undefined; each = each.parent) depth += 1;
  return depth;
}
