import { refusedChat } from "./chat-completions.ts";
import { GARBLED, isBroken, pieces, type Said, sse, type WireFormat } from "./format.ts";

const base = { id: "cmpl-1", created: 1_700_000_000, model: "m" };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const finishOf = ({ cut, calls = [] }: Said) => (cut ? "length" : calls.length > 0 ? "tool_calls" : "stop");

const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
const callsOf = ({ calls = [] }: Said) =>
  calls.map(({ id, name, arguments: args }, index) => ({ index, id, function: { name, arguments: args } }));

/** Mistral: as OpenAI's chat, with thinking as content, and calls that come whole. */
export const mistral: WireFormat = {
  serves: (path) => path.startsWith("/mistral/"),
  streams: (_path, body) => body.stream === true,
  refuses: refusedChat,

  whole(said) {
    const text = said.text ?? "";
    const content = said.reasoning === undefined ? text : [thinking(said.reasoning), { type: "text", text }];
    const message = { role: "assistant", content, tool_calls: callsOf(said) };
    const choices = [{ index: 0, message, finish_reason: finishOf(said) }];
    return { ...base, object: "chat.completion", choices, usage };
  },

  frames(said) {
    const chunk = (delta: object, finish: string | null = null, rest: object = {}) =>
      sse({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...rest,
      });
    const frames = [chunk({ role: "assistant", content: "" })];
    for (const text of pieces(said.reasoning ?? "")) frames.push(chunk({ content: [thinking(text)] }));
    for (const content of pieces(said.text ?? "")) frames.push(chunk({ content }));
    if (said.error !== undefined) return [...frames, sse({ object: "error", ...said.error })];
    if (said.calls !== undefined) frames.push(chunk({ content: "", tool_calls: callsOf(said) }));
    if (said.garbled) return [...frames, GARBLED];
    if (isBroken(said)) return frames;
    return [...frames, chunk({ content: "" }, finishOf(said), { usage }), sse("[DONE]")];
  },
};
