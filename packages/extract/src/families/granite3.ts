/**
 * `<|tool_call|>` `[J, ...]` `<|/tool_call|>`?, J being a call object. Granite closes it with nothing, Phi-4-mini with
 * the tag.
 */
import type { ExtractFamily, Opening } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

export const toolCallToken: Opening = {
  literal: "<|tool_call|>",
  at: "anywhere",
  read: jsonEnvelope({
    close: ["<|/tool_call|>", "<|end_of_text|>"],
    closing: "optional",
    stops: ["<|tool_call|>"],
  }),
};

export const granite3: ExtractFamily = {
  name: "granite3",
  title: "Granite 3",
  example: '<|tool_call|>[{"name": "search", "arguments": {"query": "x"}}]',
  openings: [toolCallToken],
  tolerates: [
    {
      literal: "<tool_call>",
      at: "anywhere",
      read: jsonEnvelope({ close: ["</tool_call>"], closing: "optional", stops: ["<tool_call>"] }),
    },
  ],
};
