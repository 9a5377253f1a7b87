/** `[TOOL_CALLS]` `[{"name": N, "arguments": {...}}, ...]`, tokenizers before v11. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";
import { mistralArgs } from "./mistral-args.ts";

export const mistral: ExtractFamily = {
  name: "mistral",
  title: "Mistral before v11",
  example: '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "x"}}]',
  openings: [
    {
      literal: "[TOOL_CALLS]",
      at: "anywhere",
      read: jsonEnvelope({ close: ["[/TOOL_CALLS]", "</s>"], closing: "optional", stops: ["[TOOL_CALLS]"] }),
    },
  ],
  tolerates: mistralArgs.openings,
};
