/** `<tool_calls>` `[J, ...]` `</tool_calls>`, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { listEnvelope } from "../read-json-envelope.ts";

const example = '<tool_calls>[{"name": "search", "arguments": {"query": "x"}}]</tool_calls>';
const openings = [listEnvelope("<tool_calls>", "</tool_calls>", "[")];
const tolerates = [
  listEnvelope("<tool_calls>", "</tool_calls>"),
  listEnvelope("<assistant_tool_calls>", "</assistant_tool_calls>"),
];

export const jamba: ExtractFamily = { name: "jamba", title: "Jamba", example, openings, tolerates };
export const hunyuanA13b: ExtractFamily = {
  name: "hunyuan-a13b",
  title: "Hunyuan A13B",
  example,
  openings,
  tolerates,
};
export const apriel: ExtractFamily = { name: "apriel", title: "Apriel", example, openings, tolerates };
