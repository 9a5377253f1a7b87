import { check } from "@toolrig/core/kit";
import type { ExtractTool } from "@toolrig/extract";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The tools in a file of definitions: a list, or an object that holds one as `tools`. Knows the shapes of Toolrig and
 * MCP (`inputSchema`), OpenAI (`parameters`, also inside `function`) and Anthropic (`input_schema`). Throws
 * `OPTION_INVALID`, naming `option` and the entry.
 */
export function toolDefinitions(value: unknown, option: string): ExtractTool[] {
  const list = isFields(value) ? value.tools : value;
  if (!Array.isArray(list)) {
    throw check.invalid(option, 'a list of tool definitions, or an object with one as "tools"', value);
  }
  return list.map((entry: unknown, index) => {
    const fields = isFields(entry) && isFields(entry.function) ? entry.function : entry;
    if (isFields(fields) && typeof fields.name === "string") {
      return {
        name: fields.name,
        inputSchema: fields.inputSchema ?? fields.parameters ?? fields.input_schema,
      };
    }
    throw check.invalid(`${option}: entry ${index}`, "a tool definition with a name", entry);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
