/** `function call<|role_sep|>` J or `<|function_call|>` J, J being a call object. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

const read = jsonEnvelope({
  close: ["<|message_sep|>", "</s>"],
  closing: "optional",
  stops: ["<|function_call|>"],
});

export const gigachat3: ExtractFamily = {
  name: "gigachat3",
  title: "GigaChat 3",
  example: '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "search", "arguments": {"query": "x"}}',
  openings: [
    "<|message_sep|>\n\nfunction call<|role_sep|>",
    "function call<|role_sep|>",
    "<|function_call|>",
  ].map((literal) => ({ literal, at: "anywhere", read })),
};
