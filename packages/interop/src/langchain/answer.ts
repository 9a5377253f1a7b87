import type { LangChainConfig, LangChainTool } from "./shape.ts";

/** What a tool of LangChain came to beneath it, for the adapter that gives it back. */
export type OwnAnswer = { answer: Answer } | { thrown: unknown };

export interface Answer {
  /** As the tool made it: a message, a command, or content that LangChain makes a message of. */
  content: unknown;
  artifact: unknown;
  /** What LangChain would make of it, as far as it is read: a command, or a message. */
  message: unknown;
}

/** What every class of tools defines. LangChain calls it behind what it does for each tool, which has been done by then. */
type OwnCode = LangChainTool & {
  _call?(args: unknown, runManager: unknown, config: LangChainConfig): unknown;
};

/** The tool's own code, without what LangChain does around it. A tool of another kind is invoked as it is. */
export async function answerOf(
  source: LangChainTool,
  args: unknown,
  config: LangChainConfig,
  runManager: { handleToolEvent?(chunk: unknown): unknown } | undefined,
  told: (chunk: unknown) => void,
): Promise<Answer> {
  const id = config.toolCall?.id;
  const { _call } = source as OwnCode;
  if (_call === undefined) {
    const { callbacks: _, ...quiet } = config as LangChainConfig & { callbacks?: unknown };
    const content = await source.invoke({ ...config.toolCall, args }, quiet);
    return { content, artifact: undefined, message: content };
  }
  const raw = await endOf(await _call.call(source, args, runManager, config), async (chunk) => {
    told(chunk);
    await runManager?.handleToolEvent?.(chunk);
  });
  const [content, artifact] = source.responseFormat === "content_and_artifact" ? pairOf(raw) : [raw];
  if (isDirect(content)) return { content, artifact, message: content };
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
  const shown = isContent ? content : (JSON.stringify(content) ?? "");
  return { content: shown, artifact, message: { content: shown, artifact, tool_call_id: id } };
}

async function endOf(raw: unknown, told: (chunk: unknown) => Promise<void>): Promise<unknown> {
  if (typeof raw !== "object" || raw === null || !(Symbol.asyncIterator in raw)) return raw;
  const chunks = (raw as AsyncGenerator)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) return value;
    await told(value);
  }
}

function pairOf(raw: unknown): readonly [unknown, unknown] {
  if (Array.isArray(raw) && raw.length === 2) return [raw[0], raw[1]];
  throw new Error(
    `Tool response format is "content_and_artifact" but the output was not a two-tuple.\nResult: ${JSON.stringify(raw)}`,
  );
}

function isBlock(item: unknown): boolean {
  return typeof item === "object" && item !== null && "type" in item;
}

/** What LangChain gives to the graph as it is. */
function isDirect(content: unknown): content is object {
  return (
    typeof content === "object" &&
    content !== null &&
    (content as { lc_direct_tool_output?: unknown }).lc_direct_tool_output === true
  );
}
