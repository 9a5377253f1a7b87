/** An OpenAI-like message as text, often after prose: `{"tool_calls": [{"function": {"name": N, "arguments": "{...}"}}]}`. */
import type { ExtractFamily } from "../family.ts";
import { bareObject } from "./bare-json.ts";
import { fences } from "./fenced-json.ts";

export const openaiEcho: ExtractFamily = {
  name: "openai-echo",
  title: "Any model: the provider's own message format",
  example: '{"tool_calls": [{"function": {"name": "search", "arguments": "{\\"query\\": \\"x\\"}"}}]}',
  openings: [{ literal: "{", at: "prose", weak: true, read: bareObject("tool_calls") }],
  tolerates: fences,
};
