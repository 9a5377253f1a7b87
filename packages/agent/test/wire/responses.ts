import { type Body, GARBLED, isBroken, isWhole, pieces, type Said, sse, type WireFormat } from "./format.ts";

const usage = {
  input_tokens: 11,
  output_tokens: 7,
  total_tokens: 18,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens_details: { reasoning_tokens: 3 },
};
const base = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: "m" };

const reasoningItem = (text: string) => ({
  type: "reasoning",
  id: "rs_1",
  encrypted_content: "sealed",
  summary: [{ type: "summary_text", text }],
});
const messageItem = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const callItem = ({ id, name, arguments: args }: NonNullable<Said["calls"]>[number]) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
  status: "completed",
});

const searchItem = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "otters" },
};

const ending = ({ cut, filtered }: Said) => ({
  usage,
  incomplete_details: cut ? { reason: "max_output_tokens" } : filtered ? { reason: "content_filter" } : null,
});

/** A response that has ended. A call that was cut off within its arguments says so. */
function responseOf(said: Said) {
  const isCut = ({ arguments: args }: { arguments: string }) => said.cut === true && !isWhole(args);
  const output = [
    ...(said.reasoning === undefined ? [] : [reasoningItem(said.reasoning)]),
    ...(said.text === undefined ? [] : [messageItem(said.text)]),
    ...(said.calls ?? []).map((call) => ({
      ...callItem(call),
      ...(isCut(call) && { status: "incomplete" }),
    })),
  ];
  const status = said.cut || said.filtered ? "incomplete" : "completed";
  return { ...base, status, output, ...ending(said) };
}

/** Items are sent back whole, or by the id under which the provider knows them. */
function kindOf({ type, id = "", role }: Body): string {
  if (type !== "item_reference") return type ?? role;
  return id.startsWith("rs_") ? "reasoning" : id.startsWith("fc_") ? "function_call" : "message";
}

const callIdOf = ({ call_id, id = "" }: Body): string => call_id ?? id.replace(/^fc_/, "");

export const responses: WireFormat = {
  serves: (path) => path.endsWith("/responses"),
  streams: (_path, body) => body.stream === true,

  refuses({ input }) {
    const kinds: string[] = input.map(kindOf);
    const lone = kinds.findIndex((kind, index) => {
      const next = input[index + 1];
      return (
        kind === "reasoning" &&
        (next === undefined || next.role === "user" || next.type === "function_call_output")
      );
    });
    if (lone !== -1) return `item ${lone} of type reasoning was provided without its required following item`;
    const ids = (wanted: string) =>
      input.filter((_: Body, index: number) => kinds[index] === wanted).map(callIdOf);
    const [asked, answered] = [ids("function_call"), ids("function_call_output")];
    if (new Set(asked).size < asked.length) return `call ids are not unique: ${asked}`;
    return asked.join() === answered.join()
      ? undefined
      : `no tool output found for function calls ${asked}: ${answered}`;
  },

  whole: responseOf,

  frames(said) {
    let sequence = 0;
    const frames: string[] = [];
    const push = (type: string, data: object) =>
      frames.push(sse({ type, sequence_number: sequence++, ...data }, type));
    push("response.created", { response: { ...base, status: "in_progress", output: [] } });
    let index = 0;
    const item = (begun: object, finished: object, middle: (at: number) => void) => {
      push("response.output_item.added", { output_index: index, item: begun });
      middle(index);
      push("response.output_item.done", { output_index: index++, item: finished });
    };
    if (said.reasoning !== undefined) {
      const done = reasoningItem(said.reasoning);
      item({ ...done, encrypted_content: null, summary: [] }, done, (at) => {
        const where = { item_id: "rs_1", output_index: at, summary_index: 0 };
        push("response.reasoning_summary_part.added", { ...where, part: { type: "summary_text", text: "" } });
        for (const delta of pieces(said.reasoning!))
          push("response.reasoning_summary_text.delta", { ...where, delta });
        push("response.reasoning_summary_part.done", {
          ...where,
          part: { type: "summary_text", text: said.reasoning },
        });
      });
    }
    if (said.searched) item({ ...searchItem, status: "in_progress" }, searchItem, () => {});
    if (said.text !== undefined) {
      const done = messageItem(said.text);
      item({ ...done, content: [], status: "in_progress" }, done, (at) => {
        const where = { item_id: "msg_1", output_index: at, content_index: 0, logprobs: [] };
        for (const delta of pieces(said.text!)) push("response.output_text.delta", { ...where, delta });
      });
    }
    for (const call of said.calls ?? []) {
      const done = callItem(call);
      const begun = { ...done, arguments: "", status: "in_progress" };
      const write = (at: number) => {
        const where = { item_id: done.id, output_index: at };
        for (const delta of pieces(call.arguments))
          push("response.function_call_arguments.delta", { ...where, delta });
      };
      const isCut = !isWhole(call.arguments) && (said.cut === true || isBroken(said));
      if (!isCut) item(begun, done, write);
      else {
        // A call that is cut off within its arguments has no end.
        push("response.output_item.added", { output_index: index, item: begun });
        write(index);
      }
    }
    if (said.garbled) frames.push(GARBLED);
    if (said.error !== undefined) {
      push("error", {
        code: said.error.type,
        message: said.error.message,
        param: null,
        error: { ...said.error, code: said.error.type },
      });
    } else if (!isBroken(said)) {
      push(said.cut || said.filtered ? "response.incomplete" : "response.completed", {
        response: responseOf(said),
      });
    }
    return frames;
  },
};
