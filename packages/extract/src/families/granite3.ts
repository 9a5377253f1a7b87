/** `<|tool_call|>` `[J, ...]`, J being a call object; nothing closes it. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

export const granite3: ExtractFamily = {
  name: "granite3",
  title: "Granite 3",
  example: '<|tool_call|>[{"name": "search", "arguments": {"query": "x"}}]',
  openings: [
    {
      literal: "<|tool_call|>",
      at: "anywhere",
      read: jsonEnvelope({ close: ["<|end_of_text|>"], closing: "optional", stops: ["<|tool_call|>"] }),
    },
  ],
  tolerates: [
    {
      literal: "<tool_call>",
      at: "anywhere",
      read: jsonEnvelope({ close: ["</tool_call>"], closing: "optional", stops: ["<tool_call>"] }),
    },
  ],
};
