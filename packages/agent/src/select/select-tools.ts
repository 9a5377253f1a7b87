import type { AnyTool, ToolList, ToolSource } from "@toolrig/core";
import { definitionIn, sourceOf } from "@toolrig/core/kit";
import { ToolIndex } from "./tool-index.ts";

const indexes = new WeakMap<ToolSource, { version: number | string; index: ToolIndex }>();
const lists = new WeakMap<ToolList, ToolSource>();

/**
 * The tools that fit a request best, best first: at most `count` of those that are available and not disabled by
 * preference. The index behind it is built once a version of the source.
 *
 * @example
 * ```ts
 * import { selectTools } from "@toolrig/agent";
 * import { tool } from "@toolrig/core";
 *
 * const common = { input: { type: "object" }, execute: () => "done" } as const;
 * const sendMail = tool({ ...common, name: "send_mail", description: "Send a message to somebody" });
 * const readFile = tool({ ...common, name: "read_file", description: "Read a file from disk" });
 * const [best] = selectTools([readFile, sendMail], "write a mail to Ann", 1);
 * console.log(best?.name); //=> send_mail
 * ```
 */
export function selectTools(tools: ToolSource | ToolList, query: string, count = 10): AnyTool[] {
  return indexOf(asSource(tools)).select(query, count);
}

export function indexOf(source: ToolSource): ToolIndex {
  const { version } = source;
  const known = indexes.get(source);
  if (known?.version === version) return known.index;
  const index = new ToolIndex(newestOf(source), (tool) => definitionIn(source, tool));
  indexes.set(source, { version, index });
  return index;
}

/** Sources list all versions of a name, the newest first. */
function newestOf(source: ToolSource): AnyTool[] {
  let last: string | undefined;
  return source.tools().filter(({ name }) => {
    const isNewest = name !== last;
    last = name;
    return isNewest;
  });
}

function asSource(tools: ToolSource | ToolList): ToolSource {
  let source = lists.get(tools as ToolList);
  if (source === undefined) {
    source = sourceOf(tools);
    lists.set(tools as ToolList, source);
  }
  return source;
}
