import type { AnyTool, ToolList, ToolSource } from "@toolrig/core";
import { check, defined, definitionIn, sourceOf } from "@toolrig/core/kit";
import { EMBEDDER } from "./embedder.ts";
import { type EmbedOptions, embedOptions, Meaning } from "./meaning.ts";
import { ToolIndex } from "./tool-index.ts";

const indexes = new WeakMap<ToolSource, { version: number | string; index: ToolIndex }>();
const lists = new WeakMap<ToolList, ToolSource>();

/**
 * The tools that fit a request best, best first: at most `count` of those that are available and not disabled by
 * preference. The index behind it is built once a version of the source. With `embed` they are found by what they mean as
 * well as by their words, and come as a promise, which never rejects for the embedder's sake.
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
export function selectTools(tools: ToolSource | ToolList, query: string, count?: number): AnyTool[];
export function selectTools(
  tools: ToolSource | ToolList,
  query: string,
  count: number | undefined,
  options: EmbedOptions,
): Promise<AnyTool[]>;
export function selectTools(
  tools: ToolSource | ToolList,
  query: string,
  count = 10,
  options?: EmbedOptions,
): AnyTool[] | Promise<AnyTool[]> {
  if (tools === undefined || tools === null) throw check.invalid("tools", "tools or a source of them", tools);
  if (typeof query !== "string") throw check.invalid("query", "the text to choose by", query);
  const source = asSource(tools);
  if (options === undefined) return indexOf(source).select(query, count);
  embedOptions.check(options);
  if (options.embed === undefined) throw check.invalid("embed", EMBEDDER, undefined);
  return selectByMeaning(source, query, count, { meaning: new Meaning(options) });
}

/** As `selectTools`, by words and by meaning. */
export async function selectByMeaning(
  source: ToolSource,
  query: string,
  count: number,
  {
    meaning,
    shows,
    signal,
  }: { meaning: Meaning; shows?: (tool: AnyTool) => boolean; signal?: AbortSignal | undefined },
): Promise<AnyTool[]> {
  const index = indexOf(source);
  const likenesses = await meaning.likenesses(index.definitions, query, signal);
  return index.select(query, count, { likenesses, ...defined({ shows }) });
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
