/** `<|action_start|><|plugin|>` `{"name": N, "parameters": {...}}` `<|action_end|>`. */
import type { ExtractFamily } from "../family.ts";
import { jsonEnvelope } from "../read-json-envelope.ts";

const read = jsonEnvelope({ close: ["<|action_end|>"], closing: "required", stops: ["<|action_start|>"] });

export const internlm2: ExtractFamily = {
  name: "internlm2",
  title: "InternLM 2 and 2.5",
  example: '<|action_start|><|plugin|>{"name": "search", "parameters": {"query": "x"}}<|action_end|>',
  openings: ["<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"].map((literal) => ({
    literal,
    at: "anywhere",
    read,
  })),
};
