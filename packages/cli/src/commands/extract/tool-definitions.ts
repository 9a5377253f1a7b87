import { ToolrigError } from "@toolrig/core";
import type { ExtractTool } from "@toolrig/core/extract";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The tools in a file of definitions: a list, or an object that holds one as `tools`. Knows the shapes of Toolrig and
 * MCP (`inputSchema`), OpenAI (`parameters`, also inside `function`) and Anthropic (`input_schema`). Throws
 * `OPTION_INVALID`, naming `option` and the entry.
 */
export function toolDefinitions(value: unknown, option: string): ExtractTool[] {
  const list = isFields(value) ? value.tools : value;
  if (!Array.isArray(list)) {
    throw new ToolrigError(
      "OPTION_INVALID",
      `${option} must hold a list of tool definitions, or an object with one as "tools".`,
    );
  }
  return list.map((entry: unknown, index) => {
    const fields = isFields(entry) && isFields(entry.function) ? entry.function : entry;
    if (isFields(fields) && typeof fields.name === "string") {
      return {
        name: fields.name,
        inputSchema: fields.inputSchema ?? fields.parameters ?? fields.input_schema,
      };
    }
    throw new ToolrigError(
      "OPTION_INVALID",
      `${option}: entry ${index} must be a tool definition with a name.`,
    );
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
