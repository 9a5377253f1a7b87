import { type ToolDefinition, type ToolResult, textOf } from "@toolrig/core";
import { carriedFields } from "@toolrig/core/kit";
import { sourceOf } from "../beneath/live-loop.ts";
import { agentsFields, OPENAI_AGENTS } from "./fields.ts";
import { partsIn } from "./from-openai-agents.ts";
import type { AgentsTool } from "./shape.ts";

/** A tool of the SDK that a rig's tool was made from, and what the SDK is given of it as it was. Undefined for any other tool. */
export function ownTool(
  definition: ToolDefinition,
): { source: AgentsTool; carried: Partial<AgentsTool> } | undefined {
  const own = sourceOf<AgentsTool>(OPENAI_AGENTS, definition);
  // Who runs other code has another tool.
  if (own === undefined || !own.isOwn("execute")) return undefined;
  const { source, isOwn, description } = own;
  const carried: Partial<AgentsTool> = carriedFields(agentsFields, source);
  // The SDK marks tools by symbols of its own, such as the namespace they are in.
  for (const key of Object.getOwnPropertySymbols(source))
    Object.assign(carried, { [key]: (source as unknown as Record<symbol, unknown>)[key] });
  if (!isOwn("description") || definition.description !== description) delete carried.description;
  if (!isOwn("input")) {
    delete carried.parameters;
    delete carried.strict;
  }
  return { source, carried };
}

/** What the tool answered, where the result still says the same: the SDK shows it as without a rig. */
export function ownOutput<Output>(result: ToolResult, output: Output): unknown {
  const { value, isError, artifact, advice, content, failure } = result;
  if (isError)
    return failure?.code === "TOOL_EXECUTION_FAILED" && isOwnWords(result) ? failure.message : output;
  if (value === undefined || artifact !== undefined || advice !== undefined) return output;
  const parts = partsIn(value);
  const isSame =
    parts === undefined
      ? textOf(content) === (typeof value === "string" ? value : JSON.stringify(value))
      : JSON.stringify(parts) === JSON.stringify(content);
  return isSame ? value : output;
}

/** The SDK's own text for a tool that threw. */
function isOwnWords({ failure }: ToolResult): boolean {
  return failure?.message.startsWith("An error occurred while running the tool.") === true;
}
