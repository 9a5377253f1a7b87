import { type AnyTool, type ToolDefinition, type ToolSource, tool } from "@toolrig/core";
import { definitionIn } from "@toolrig/core/kit";
import { groupsText } from "./groups.ts";
import { indexOf } from "./select-tools.ts";

export const FIND_TOOLS = "find_tools";

export interface FindToolsOptions {
  /** How many tools one search gives at most. Default 5. */
  count?: number;
  /** Whether a tool may be shown. Default: all. */
  shows?: (tool: AnyTool) => boolean;
  /** Told what was found, with the run that asked. */
  onFound?: (tools: readonly AnyTool[], runId: string | undefined) => void;
}

/** The tool with which a model searches a large set of tools. Where none fits it tells what groups of tools there are. */
export function findToolsTool(source: ToolSource, options: FindToolsOptions = {}) {
  const { count = 5, shows = () => true, onFound } = options;
  const listed = (each: AnyTool) => each.name !== FIND_TOOLS && shows(each);
  return tool({
    name: FIND_TOOLS,
    description:
      "Search for tools that are not in your list. Describe what you want to do; " +
      "the tools that are found can be called from your next step on.",
    input: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, description: "What the tool should do" } },
      required: ["query"],
      additionalProperties: false,
    },
    safety: { sideEffects: "read", idempotent: true },
    execute({ query }, context) {
      const found = indexOf(source).select(query, count, listed);
      onFound?.(found, context.runId);
      if (found.length === 0) return groupsText(source, listed);
      return found.map((each) => summary(definitionIn(source, each)));
    },
  });
}

function summary({ name, description, inputSchema }: ToolDefinition) {
  return { name, description, parameters: inputSchema };
}
