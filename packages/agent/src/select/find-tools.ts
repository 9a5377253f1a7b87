import {
  type AnyTool,
  type DataLabels,
  result,
  type ToolDefinition,
  type ToolSource,
  tool,
} from "@toolrig/core";
import { declareOptions, definitionIn, type OptionTable, option } from "@toolrig/core/kit";
import { groupsText } from "./groups.ts";
import { type EmbedOptions, embedOptions, Meaning } from "./meaning.ts";
import { indexOf, selectByMeaning } from "./select-tools.ts";

export const FIND_TOOLS = "find_tools";

/** What tools from outside say of themselves. */
const FOREIGN: DataLabels = { integrity: "untrusted", source: "definitions from outside" };

export interface FindToolsOptions extends Partial<EmbedOptions> {
  /** How many tools one search gives at most. Default 5. */
  count?: number;
  /** Whether a tool may be shown. Default: all. */
  shows?: (tool: AnyTool) => boolean;
  /** Whether what a tool says of itself is this program's word. Default: that of every tool that is defined in it. */
  trusts?: (tool: AnyTool) => boolean;
  /** How the tools that were found are told: as TypeScript, say, to a model that writes scripts. Default: as JSON Schema. */
  declare?: (definitions: readonly ToolDefinition[]) => string;
  /** Told what was found, with the run that asked. */
  onFound?: (tools: readonly AnyTool[], runId: string | undefined) => void;
}

const findToolsOptions = declareOptions("findToolsTool", {
  ...embedOptions.table,
  count: option.count(0, { default: 5 }),
  shows: option.callback(),
  trusts: option.callback(),
  declare: option.callback(),
  onFound: option.callback(),
} satisfies OptionTable<FindToolsOptions>);

/**
 * The tool with which a model searches a large set of tools. Where none fits it tells what groups of tools there are.
 */
export function findToolsTool(source: ToolSource, options: FindToolsOptions = {}) {
  const {
    count,
    shows = () => true,
    trusts = ({ trusted }: AnyTool) => trusted,
    onFound,
    embed,
    declare,
  } = findToolsOptions.withDefaults(options);
  const meaning = embed === undefined ? undefined : new Meaning({ ...options, embed });
  const listed = (each: AnyTool) => each.name !== FIND_TOOLS && shows(each);
  const answer = (found: readonly AnyTool[], runId: string | undefined) => {
    onFound?.(found, runId);
    const shown = found.length === 0 ? source.tools().filter(listed) : found;
    const definitions = found.map((each) => definitionIn(source, each));
    const value =
      found.length === 0 ? groupsText(source, listed) : (declare?.(definitions) ?? definitions.map(summary));
    return shown.every(trusts) ? value : result({ value, labels: FOREIGN });
  };
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
    execute({ query }, { runId, signal }) {
      if (meaning === undefined)
        return answer(indexOf(source).select(query, count, { shows: listed }), runId);
      const found = selectByMeaning(source, query, count, { meaning, shows: listed, signal });
      return found.then((tools) => answer(tools, runId));
    },
  });
}

function summary({ name, description, inputSchema }: ToolDefinition) {
  return { name, description, parameters: inputSchema };
}
