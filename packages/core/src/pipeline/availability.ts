import type { ToolResult } from "../call/result.ts";
import type { Resolved } from "./execution.ts";

/** The result of a call whose tool cannot run now. Asked when it is resolved, and again just before each attempt. */
export function unavailable(execution: Resolved): ToolResult | undefined {
  const { tool, services } = execution;
  if (services.onUnavailable === "try") return undefined;
  const available = tool.available();
  if (available === true) return undefined;
  return execution.failed({ code: "TOOL_UNAVAILABLE", message: `${tool.name} is unavailable: ${available}` });
}
