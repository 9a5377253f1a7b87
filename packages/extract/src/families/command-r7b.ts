/** `<|START_ACTION|>` `[{"tool_call_id": I, "tool_name": N, "parameters": {...}}, ...]` `<|END_ACTION|>`. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

export const commandR7b: ExtractFamily = {
  name: "command-r7b",
  title: "Command R7B, Command A",
  example:
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "x"}}]<|END_ACTION|>',
  openings: [
    {
      literal: "<|START_ACTION|>",
      at: "anywhere",
      read: jsonEnvelope({ close: ["<|END_ACTION|>"], closing: "required", stops: ["<|START_ACTION|>"] }),
    },
  ],
};
