/** Kinds of blocks, items and parts of a response that are the model's own words, or calls that come to a rig. */
const OWN: ReadonlySet<unknown> = new Set([
  "text",
  "output_text",
  "refusal",
  "message",
  "thinking",
  "redacted_thinking",
  "reasoning",
  "compaction",
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "input_json_delta",
  "function_call",
  "functionCall",
]);

/**
 * What a response holds that is neither the model's own nor a call of a rig's tool: results of tools that the provider ran, such as a
 * search of the web, words that cite them, and calls whose results somebody else will bring. What is not known counts.
 */
export function broughtBy(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block) => {
    if (typeof block !== "object" || block === null) return [];
    const { type, annotations, citations, content } = block as Record<string, unknown>;
    if (!OWN.has(type)) return [String(type)];
    if (isFilled(annotations) || isFilled(citations)) return ["a citation"];
    return type === "message" ? broughtBy(content) : [];
  });
}

export function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
