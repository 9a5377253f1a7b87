/** What LangChain's messages say of the model's own text, and of how a response ended. */
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Executor, tool } from "@toolrig/core";
import { toLangChainTools, withRawArguments } from "@toolrig/interop/langchain";
import { expect, test } from "vitest";

async function heard(message: AIMessage) {
  const { tool_calls: calls = [] } = (await withRawArguments({ invoke: async (_: string) => message }).invoke(
    "x",
  )) as AIMessage;
  return calls.map(({ id, args }) => [id, args]);
}

const call = { id: "c1", name: "pay", args: { to: "ann" }, type: "tool_call" as const };

test.each([
  { response_metadata: { finish_reason: "tool_calls" } },
  { response_metadata: { finish_reason: "stopstop" } },
  { response_metadata: { finishReason: "STOP" } },
  { response_metadata: { status: "completed" } },
  { response_metadata: { done_reason: "stop" } },
  { response_metadata: { messageStop: { stopReason: "tool_use" } } },
  { additional_kwargs: { stop_reason: "tool_use" } },
])("a response that ended by itself stays as it is: %j", async (said) => {
  expect(await heard(new AIMessage({ content: "", tool_calls: [call], ...said }))).toEqual([
    ["c1", call.args],
  ]);
});

test.each([
  {},
  { response_metadata: { finish_reason: "content_filter" } },
  { response_metadata: { finish_reason: "stoplength" } },
  { response_metadata: { finishReason: "MAX_TOKENS" } },
  { response_metadata: { status: "incomplete" } },
  { response_metadata: { messageStop: { stopReason: "max_tokens" } } },
  { additional_kwargs: { stop_reason: "max_tokens" } },
  { response_metadata: { finish_reason: "stop" }, additional_kwargs: { stop_reason: "refusal" } },
])("a response that did not was cut off: %j", async (said) => {
  expect(await heard(new AIMessage({ content: "", tool_calls: [call], ...said }))).toEqual([
    ["c1", { cut_off_arguments: '{"to":"ann"}' }],
  ]);
});

test("streamed calls under one id have each its own text, in their order", async () => {
  const message = new AIMessageChunk({
    content: "",
    tool_call_chunks: ["not JSON", '{"to":"ann"}', '{"to":"bo'].map((args, index) => ({
      id: "c1",
      name: "pay",
      args,
      index,
      type: "tool_call_chunk",
    })),
    response_metadata: { finish_reason: "tool_calls" },
  });
  expect(await heard(message)).toEqual([
    ["c1", { unparsed_arguments: "not JSON" }],
    ["c1", { to: "ann" }],
    ["c1", { unparsed_arguments: '{"to":"bo' }],
  ]);
});

test.each([
  ["length", 0],
  ["content_filter", 0],
  ["tool_calls", 1],
  [undefined, 1],
])(
  "a graph whose model is not wrapped runs no write of a response that says it was cut off: %s",
  async (finish_reason, ran) => {
    let paid = 0;
    const pay = tool({
      name: "pay",
      description: "Pay",
      input: { type: "object" },
      safety: { sideEffects: "external" },
      execute: () => ++paid,
    });
    const said = new AIMessage({
      content: "",
      tool_calls: [call],
      ...(finish_reason !== undefined && { response_metadata: { finish_reason } }),
    });
    await new ToolNode(toLangChainTools(new Executor({ tools: [pay] }))).invoke({ messages: [said] });
    expect(paid).toBe(ran);
  },
);
