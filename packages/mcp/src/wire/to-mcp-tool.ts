import type { Tool } from "@modelcontextprotocol/server";
import { type ToolDefinition, toMcp } from "@toolrig/core";

/** A definition as `tools/list` has it. Arguments are an object whatever else the schema says, and MCP wants that said. */
export function toMcpTool(definition: ToolDefinition): Tool {
  const { inputSchema, ...rest } = toMcp(definition);
  const title = definition.annotations?.title;
  return {
    ...rest,
    ...(title !== undefined && { title }),
    inputSchema: { ...inputSchema, type: "object" },
  } as Tool;
}
