/** `<longcat_tool_call>` J `</longcat_tool_call>`, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { listEnvelope } from "../read-json-envelope.ts";

export const longcat: ExtractFamily = {
  name: "longcat",
  title: "LongCat Flash",
  example: '<longcat_tool_call>{"name": "search", "arguments": {"query": "x"}}</longcat_tool_call>',
  openings: [listEnvelope("<longcat_tool_call>", "</longcat_tool_call>")],
};
