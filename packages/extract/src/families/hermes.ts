/**
 * `<tool_call>` J `</tool_call>`, J being `{"name": N, "arguments": {...}}`, several of them, or a list. The closing
 * tag may be missing at the end of the text.
 */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope, listEnvelope } from "../read-json-envelope.ts";

const example = '<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>';
const openings = [
  {
    literal: "<tool_call>",
    at: "anywhere",
    read: jsonEnvelope({ close: ["</tool_call>"], closing: "required", stops: ["<tool_call>"] }),
  },
] as const;

const tolerates = [
  listEnvelope("<tool_calls>", "</tool_calls>"),
  listEnvelope("<assistant_tool_calls>", "</assistant_tool_calls>"),
];

export const hermes: ExtractFamily = {
  name: "hermes",
  title: "Hermes 2/3, Qwen 2.5, QwQ, MiMo, Reka",
  example,
  openings,
  tolerates,
};
export const granite4: ExtractFamily = { name: "granite4", title: "Granite 4", example, openings };
export const ernie45: ExtractFamily = { name: "ernie4.5", title: "ERNIE 4.5", example, openings };
