/** `<assistant_tool_calls>` `[J, ...]` `</assistant_tool_calls>`, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { listEnvelope } from "../read-json-envelope.ts";

export const assistantToolCalls: ExtractFamily = {
  name: "assistant-tool-calls",
  title: "Prompts that name the tag after the message role",
  example: '<assistant_tool_calls>[{"name": "search", "arguments": {"query": "x"}}]</assistant_tool_calls>',
  openings: [listEnvelope("<assistant_tool_calls>", "</assistant_tool_calls>")],
};
