import { pieces, type Said, sse, type WireFormat } from "./format.ts";

const base = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const finishOf = ({ cut, calls = [] }: Said) => (cut ? "length" : calls.length > 0 ? "tool_calls" : "stop");

const toolCalls = ({ calls = [] }: Said) =>
  calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));

export const chatCompletions: WireFormat = {
  serves: (path) => path.endsWith("/chat/completions"),
  streams: (_path, body) => body.stream === true,

  whole(said) {
    const message = { role: "assistant", content: said.text ?? null, tool_calls: toolCalls(said) };
    return {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishOf(said) }],
      usage,
    };
  },

  frames(said) {
    const chunk = (delta: unknown, finish: string | null = null) =>
      sse({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const frames = [chunk({ role: "assistant", content: "" })];
    for (const content of pieces(said.text ?? "")) frames.push(chunk({ content }));
    for (const [index, { id, name, arguments: args }] of (said.calls ?? []).entries()) {
      frames.push(
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      );
      for (const piece of pieces(args))
        frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
    if (said.error !== undefined)
      return [...frames, sse({ error: { ...said.error, code: said.error.type } })];
    if (said.breaksOff) return frames;
    frames.push(
      chunk({}, finishOf(said)),
      sse({ ...base, object: "chat.completion.chunk", choices: [], usage }),
    );
    return [...frames, sse("[DONE]")];
  },
};
