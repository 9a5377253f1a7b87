import { pieces, type Said, sse, type WireFormat } from "./format.ts";

const base = { id: "msg_1", type: "message", role: "assistant", model: "m" };
const usage = { input_tokens: 11, output_tokens: 7 };

const stopReason = ({ cut, calls = [] }: Said) =>
  cut ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";

export const anthropic: WireFormat = {
  serves: (path) => path.endsWith("/messages"),
  streams: (_path, body) => body.stream === true,

  whole(said) {
    const content = [
      ...(said.reasoning === undefined
        ? []
        : [{ type: "thinking", thinking: said.reasoning, signature: "signed" }]),
      ...(said.text === undefined ? [] : [{ type: "text", text: said.text }]),
      ...(said.calls ?? []).map(({ id, name, arguments: args }) => ({
        type: "tool_use",
        id,
        name,
        input: JSON.parse(args),
      })),
    ];
    return { ...base, content, stop_reason: stopReason(said), stop_sequence: null, usage };
  },

  frames(said) {
    const frames: string[] = [];
    const push = (type: string, data: object) => frames.push(sse({ type, ...data }, type));
    push("message_start", {
      message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage },
    });
    let index = 0;
    const block = (content_block: object, deltas: readonly object[]) => {
      push("content_block_start", { index, content_block });
      for (const delta of deltas) push("content_block_delta", { index, delta });
      push("content_block_stop", { index: index++ });
    };
    if (said.reasoning !== undefined) {
      const thoughts = pieces(said.reasoning).map((thinking) => ({ type: "thinking_delta", thinking }));
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...thoughts,
        { type: "signature_delta", signature: "signed" },
      ]);
    }
    if (said.text !== undefined) {
      block(
        { type: "text", text: "" },
        pieces(said.text).map((text) => ({ type: "text_delta", text })),
      );
    }
    push("ping", {});
    for (const { id, name, arguments: args } of said.calls ?? []) {
      const parts = pieces(args).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block({ type: "tool_use", id, name, input: {} }, parts);
    }
    if (said.error !== undefined) push("error", { error: said.error });
    else if (!said.breaksOff) {
      push("message_delta", {
        delta: { stop_reason: stopReason(said), stop_sequence: null },
        usage: { output_tokens: 7 },
      });
      push("message_stop", {});
    }
    return frames;
  },
};
