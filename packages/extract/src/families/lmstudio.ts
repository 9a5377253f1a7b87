/** `[TOOL_REQUEST]` J `[END_TOOL_REQUEST]`, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

export const lmstudioToolRequest: ExtractFamily = {
  name: "lmstudio-tool-request",
  title: "LM Studio's default prompt",
  example: '[TOOL_REQUEST]{"name": "search", "arguments": {"query": "x"}}[END_TOOL_REQUEST]',
  openings: [
    {
      literal: "[TOOL_REQUEST]",
      at: "anywhere",
      read: jsonEnvelope({ close: ["[END_TOOL_REQUEST]"], closing: "required", stops: ["[TOOL_REQUEST]"] }),
    },
  ],
};
