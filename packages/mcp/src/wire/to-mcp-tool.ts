import type { Tool } from "@modelcontextprotocol/server";
import { type ToolDefinition, toMcp } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";

/**
 * A definition as `tools/list` has it. Arguments are an object whatever else the schema says, and MCP wants that said. Whether
 * it may be called as a task is told to clients before 2026-07-28; the SDK leaves it out for others.
 */
export function toMcpTool(definition: ToolDefinition, mayBeTask: boolean): Tool {
  const { inputSchema, ...rest } = toMcp(definition);
  const title = definition.annotations?.title;
  return {
    ...rest,
    ...defined({ title }),
    inputSchema: { ...inputSchema, type: "object" },
    ...(mayBeTask && { execution: { taskSupport: "optional" } }),
  } as Tool;
}
