import { type Body, GARBLED, isBroken, pieces, type Said, sse, type WireFormat } from "./format.ts";

const base = { id: "msg_1", type: "message", role: "assistant", model: "m" };
const usage = { input_tokens: 11, output_tokens: 7 };

const stopReason = ({ cut, filtered, paused, calls = [] }: Said) =>
  paused
    ? "pause_turn"
    : cut
      ? "max_tokens"
      : filtered
        ? "refusal"
        : calls.length > 0
          ? "tool_use"
          : "end_turn";

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "otters" } };
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [
    {
      type: "web_search_result",
      url: "https://otters.example",
      title: "Otters",
      encrypted_content: "sealed",
      page_age: null,
    },
  ],
};

/** What Anthropic refuses of a message. */
function refusedBlock({ role, content }: Body): string | undefined {
  if (content.length === 0) return "messages: content must not be empty";
  for (const block of content) {
    if (block.type === "text" && block.text.trim() === "")
      return "text content blocks must contain non-whitespace text";
    if (block.type === "thinking" && !block.signature) return "thinking: signature: field required";
    if (block.type === "tool_result" && block.is_error && Array.isArray(block.content))
      if (block.content.some((part: Body) => part.type !== "text"))
        return "all content must be type text if is_error is true";
    if (block.type === "custom") return "content: unknown type custom";
  }
  return role === "assistant" && content.at(-1).type === "thinking"
    ? "the final block in an assistant message cannot be thinking"
    : undefined;
}

export const anthropic: WireFormat = {
  serves: (path) => path.endsWith("/messages"),
  streams: (_path, body) => body.stream === true,

  refuses({ messages }) {
    for (const [index, message] of messages.entries()) {
      const refused = refusedBlock(message);
      if (refused !== undefined) return refused;
      const used = message.content
        .filter((block: Body) => block.type === "tool_use")
        .map((block: Body) => block.id);
      const next: Body[] = messages[index + 1]?.content ?? [];
      const answered = next.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id);
      if (used.join() !== answered.join())
        return `tool_use ids ${used} were found without tool_result blocks immediately after: ${answered}`;
    }
    return undefined;
  },

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
      // Thinking is signed when it is complete.
      const signed = said.cut && said.text === undefined && said.calls === undefined ? [] : ["signed"];
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...thoughts,
        ...signed.map((signature) => ({ type: "signature_delta", signature })),
      ]);
    }
    if (said.text !== undefined) {
      block(
        { type: "text", text: "" },
        pieces(said.text).map((text) => ({ type: "text_delta", text })),
      );
    }
    push("ping", {});
    if (said.searched) {
      const { input, ...begun } = search;
      block({ ...begun, input: {} }, [{ type: "input_json_delta", partial_json: JSON.stringify(input) }]);
      block(found, []);
    }
    for (const { id, name, arguments: args } of said.calls ?? []) {
      const parts = pieces(args).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block({ type: "tool_use", id, name, input: {} }, parts);
    }
    if (said.error !== undefined) push("error", { error: said.error });
    if (said.garbled) frames.push(GARBLED);
    if (said.error === undefined && !isBroken(said)) {
      push("message_delta", {
        delta: { stop_reason: stopReason(said), stop_sequence: null },
        usage: { output_tokens: 7 },
      });
      push("message_stop", {});
    }
    return frames;
  },
};
