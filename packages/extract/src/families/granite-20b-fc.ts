/** (`<function_call>` J)+, J being a call object; nothing closes it. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

export const granite20bFc: ExtractFamily = {
  name: "granite-20b-fc",
  title: "Granite 20B function calling",
  example: '<function_call> {"name": "search", "arguments": {"query": "x"}}',
  openings: [
    {
      literal: "<function_call>",
      at: "anywhere",
      read: jsonEnvelope({ close: ["</function_call>"], closing: "optional", stops: ["<function_call>"] }),
    },
  ],
};
