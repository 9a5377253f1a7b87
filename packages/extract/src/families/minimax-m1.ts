/** `<tool_calls>` one call object per line `</tool_calls>`. */
import type { ExtractFamily } from "../family.ts";
import { listEnvelope } from "../read-json-envelope.ts";

export const minimaxM1: ExtractFamily = {
  name: "minimax-m1",
  title: "MiniMax M1",
  example: '<tool_calls>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_calls>',
  openings: [listEnvelope("<tool_calls>", "</tool_calls>", "{")],
  tolerates: [listEnvelope("<tool_calls>", "</tool_calls>")],
};
