import { type Body, GARBLED, isBroken, isWhole, pieces, type Said, sse, type WireFormat } from "./format.ts";

/** No two answers have the same id: frameworks take one under a known id for the same answer. */
let answers = 0;
const newBase = () => ({ id: `chatcmpl-${++answers}`, created: 1_700_000_000, model: "m" });
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const finishOf = ({ cut, filtered, calls = [] }: Said) =>
  cut ? "length" : filtered ? "content_filter" : calls.length > 0 ? "tool_calls" : "stop";

/** What OpenAI, Mistral and those like them refuse of a conversation. */
export function refusedChat({ messages }: Body): string | undefined {
  for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    if (role !== "assistant") continue;
    if ((content ?? "").length === 0 && calls.length === 0)
      return "an assistant message must have content or tool_calls";
    const broken = calls.find((call: Body) => !isWhole(call.function.arguments));
    if (broken !== undefined) return `the arguments of ${broken.id} are not JSON`;
    const asked = calls.map((call: Body) => call.id);
    const answers = messages.slice(index + 1, index + 1 + asked.length);
    const answered = answers.map((message: Body) =>
      message.role === "tool" ? message.tool_call_id : message.role,
    );
    if (asked.join() !== answered.join())
      return `tool calls ${asked} must be followed by their results, not ${answered}`;
  }
  return undefined;
}

const toolCalls = ({ calls = [] }: Said) =>
  calls.map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  }));

export const chatCompletions: WireFormat = {
  serves: (path) => path.endsWith("/chat/completions"),
  streams: (_path, body) => body.stream === true,

  refuses: refusedChat,

  whole(said) {
    const message = { role: "assistant", content: said.text ?? null, tool_calls: toolCalls(said) };
    return {
      ...newBase(),
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishOf(said) }],
      usage,
    };
  },

  frames(said) {
    const base = newBase();
    const chunk = (delta: unknown, finish: string | null = null) =>
      sse({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const frames = [chunk({ role: "assistant", content: "" })];
    for (const reasoning_content of pieces(said.reasoning ?? "")) frames.push(chunk({ reasoning_content }));
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
    if (said.garbled) return [...frames, GARBLED];
    if (isBroken(said)) return frames;
    frames.push(
      chunk({}, finishOf(said)),
      sse({ ...base, object: "chat.completion.chunk", choices: [], usage }),
    );
    return [...frames, sse("[DONE]")];
  },
};
