import { MemoryJournal, result, tool } from "@toolrig/core";
import { simulateReadableStream } from "ai/test";
import { expect, test } from "vitest";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions } from "../loop/options.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import { aiSdkEngine } from "./ai-sdk.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";

type Part = { type: string } & Record<string, unknown>;

const sent: unknown[] = [];
const send = tool({
  name: "send",
  description: "Send",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  execute(args) {
    sent.push(args);
    return "sent";
  },
});

/** A model that gives these parts, response by response, and keeps the prompts it was asked with. */
function modelOf(version: AiSdkModel["specificationVersion"], responses: Part[][], provider = "test.chat") {
  const prompts: Record<string, unknown>[][] = [];
  const model: AiSdkModel = {
    specificationVersion: version,
    provider,
    modelId: "m",
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream({ prompt }: { prompt: Record<string, unknown>[] }) {
      prompts.push(prompt);
      return { stream: simulateReadableStream({ chunks: responses[prompts.length - 1] ?? [] }) };
    },
  };
  return { model, prompts };
}

async function converse(model: AiSdkModel, options: Partial<AgentLoopOptions> = {}) {
  sent.length = 0;
  const engine = aiSdkEngine(model);
  const run = new AgentLoop({ engine, tools: [send], retry: { backoff: 0 }, ...options }).run("Go.");
  const events: LoopEvent[] = [];
  for await (const event of run) events.push(event);
  const retries = events.flatMap((event) => (event.type === "model.retry" ? [event.kind] : []));
  return { outcome: await run.outcome, retries };
}

const text = (said: string, id = "t"): Part[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: said },
  { type: "text-end", id },
];
const reasoning = (said: string): Part[] => [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: said },
  { type: "reasoning-end", id: "r", providerMetadata: { test: { itemId: "rs_1" } } },
];
const end = (unified: string, raw: string | undefined = unified): Part => ({
  type: "finish",
  finishReason: { unified, raw },
});
const call: Part = { type: "tool-call", toolCallId: "c", toolName: "send", input: '{"to":"ann"}' };
const begunCall = (written: string): Part[] => [
  { type: "tool-input-start", id: "c", toolName: "send" },
  ...(written === "" ? [] : [{ type: "tool-input-delta", id: "c", delta: written }]),
];
const answer = [...text("done"), end("stop")];

test.each<[AiSdkModel["specificationVersion"], Part]>([
  ["v4", { type: "finish", finishReason: { unified: "interrupted", raw: undefined } }],
  ["v4", { type: "finish", finishReason: { unified: "other", raw: undefined } }],
  ["v3", { type: "finish", finishReason: { unified: "other", raw: undefined } }],
  ["v2", { type: "finish", finishReason: "unknown" }],
])(
  "%s: a stream that ends without its provider's reason is no answer and runs no call",
  async (version, cut) => {
    const { outcome, retries } = await converse(modelOf(version, [[...text("fourty-"), cut], answer]).model);
    expect(outcome).toMatchObject({ status: "answered", text: "done" });
    expect(retries).toEqual(["incomplete"]);
    const calling = await converse(modelOf(version, [[call, cut], answer]).model);
    expect(calling.outcome.messages).toHaveLength(2);
    expect(calling.retries).toEqual(["incomplete"]);
    expect(sent).toEqual([]);
  },
);

test.each(["eos", "tool_use", "END_TURN"])("a server's own word for the end, %s, is an end", async (raw) => {
  await converse(modelOf("v4", [[call, end("other", raw)], answer]).model);
  expect(sent).toEqual([{ to: "ann" }]);
});

test("a reason that nobody knows is an answer, and its calls do not run", async () => {
  const { outcome } = await converse(modelOf("v4", [[...text("hm"), end("other", "odd")]]).model);
  expect(outcome).toMatchObject({ status: "answered", text: "hm", finishReason: "other" });
  await converse(modelOf("v4", [[call, end("other", "odd")], answer]).model);
  expect(sent).toEqual([]);
});

test.each(["", '{"to":"an'])("a call that the length limit cut off at %j is made again", async (written) => {
  const cut = [...reasoning("hm"), ...begunCall(written), end("length")];
  const { model, prompts } = modelOf("v4", [cut, [call, end("tool-calls")], answer]);
  const { outcome } = await converse(model);
  expect(outcome).toMatchObject({ status: "answered", text: "done" });
  expect(sent).toEqual([{ to: "ann" }]);
  // The reasoning led to something that the provider never finished, so it is not sent back.
  expect(prompts[1]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ type: "tool-call", toolName: "send" }] },
    {
      role: "tool",
      content: [{ output: { type: "error-text", value: expect.stringContaining("cut off") } }],
    },
  ]);
});

test("a call that was begun and is missing at the end is no answer", async () => {
  const { outcome, retries } = await converse(
    modelOf("v4", [[...text("I send."), ...begunCall("{"), end("stop")], answer]).model,
  );
  expect(retries).toEqual(["incomplete"]);
  expect(outcome.text).toBe("done");
});

test("a call that comes under another id than it was begun with is a call", async () => {
  const begun = { type: "tool-input-start", id: "0", toolName: "send" };
  const { retries } = await converse(modelOf("v4", [[begun, call, end("tool-calls")], answer]).model);
  expect(retries).toEqual([]);
  expect(sent).toEqual([{ to: "ann" }]);
});

test.each(["length", "content-filter"])(
  "%s inside reasoning leaves nothing that cannot be sent again",
  async (how) => {
    const { model } = modelOf("v4", [[...reasoning("I was thinking"), end(how)]]);
    const { outcome } = await converse(model);
    expect(outcome).toMatchObject({ status: "answered", finishReason: how, text: "" });
    expect(outcome.messages).toEqual([{ role: "user", content: "Go." }]);
  },
);

test("length inside the text keeps the reasoning that led to it, and not what comes after", async () => {
  const parts = [...reasoning("hm"), ...text("It is"), { type: "text-delta", id: "u", delta: "\n" }];
  const { outcome } = await converse(modelOf("v4", [[...parts, end("length")]]).model);
  expect(outcome.messages[1]).toMatchObject({ content: [{ type: "reasoning" }, { text: "It is" }] });
});

test("the start of a message is no content", async () => {
  const start = {
    type: "custom",
    kind: "anthropic.message_start",
    providerMetadata: { anthropic: { id: "1" } },
  };
  const { outcome, retries } = await converse(
    modelOf("v4", [
      [start, end("stop")],
      [start, ...reasoning("hm"), end("stop")],
      [start, ...answer],
    ]).model,
  );
  expect(retries).toEqual(["empty", "empty"]);
  expect(outcome.messages[1]).toMatchObject({ content: [{ type: "text", text: "done" }] });
});

test("a blank text is empty", async () => {
  const { retries } = await converse(modelOf("v4", [[...text("\n\n"), end("stop")], answer]).model);
  expect(retries).toEqual(["empty"]);
});

test("what only one provider understands does not reach another", async () => {
  const compacted = {
    type: "custom",
    kind: "openai.compaction",
    providerMetadata: { openai: { itemId: "1" } },
  };
  const searched = { ...call, toolName: "web", providerExecuted: true };
  const first = modelOf(
    "v4",
    [[compacted, searched, ...text("found"), end("stop")], answer],
    "openai.responses",
  );
  const { outcome } = await converse(first.model);
  const { messages } = outcome;
  const other = modelOf("v4", [answer], "mistral.chat");
  await new AgentLoop({ engine: aiSdkEngine(other.model) }).run("And?", { messages }).outcome;
  expect(other.prompts[0]?.[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "found" }] });
  await new AgentLoop({ engine: aiSdkEngine(first.model) }).run("And?", { messages }).outcome;
  expect(first.prompts[1]?.[1]).toMatchObject({ content: [{ type: "custom" }, { toolName: "web" }, {}] });
});

test("a text whose id was used before is a text of its own", async () => {
  const parts = [...text("one"), call, ...text("two"), end("tool-calls")];
  const { outcome } = await converse(modelOf("v4", [parts, answer]).model);
  expect(outcome.messages[1]).toMatchObject({
    content: [{ text: "one" }, { type: "tool-call" }, { text: "two" }],
  });
});

test("a result carries what the provider attached to its call", async () => {
  const providerMetadata = { openai: { caller: { type: "program", callerId: "p" } } };
  const { model, prompts } = modelOf("v4", [[{ ...call, providerMetadata }, end("tool-calls")], answer]);
  await converse(model);
  expect(prompts[1]?.[2]).toMatchObject({
    content: [{ toolCallId: "c", providerOptions: providerMetadata }],
  });
});

test.each(["v2", "v3", "v4"] as const)("%s: an error that holds an image is an error", async (version) => {
  const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
  const look = tool({
    name: "send",
    description: "Look",
    input: { type: "object" },
    execute: () => result({ isError: true, content: [{ type: "text", text: "broken page" }, image] }),
  });
  const finish = (reason: string) =>
    version === "v2" ? { type: "finish", finishReason: reason } : end(reason);
  const { model, prompts } = modelOf(version, [
    [call, finish("tool-calls")],
    [...text("done"), finish("stop")],
  ]);
  await converse(model, { tools: [look] });
  const value = "broken page\n[an image of type image/png was left out]";
  expect(prompts[1]?.[2]).toMatchObject({ content: [{ output: { type: "error-text", value } }] });
});

test.each<[string, AiSdkModel["specificationVersion"], object, number]>([
  ["anthropic.messages", "v2", { inputTokens: 10, outputTokens: 1, cachedInputTokens: 90 }, 100],
  ["openai.chat", "v2", { inputTokens: 100, outputTokens: 1, cachedInputTokens: 90 }, 100],
  [
    "anthropic.messages",
    "v4",
    { inputTokens: { total: 100, cacheRead: 90, cacheWrite: 5 }, outputTokens: { total: 1 } },
    100,
  ],
])("%s %s: input that came from a cache is input", async (provider, version, usage, inputTokens) => {
  const finishReason = version === "v2" ? "stop" : { unified: "stop", raw: "stop" };
  const { model } = modelOf(version, [[...text("done"), { type: "finish", finishReason, usage }]], provider);
  const { outcome } = await converse(model);
  expect(outcome.usage).toMatchObject({ inputTokens, cachedInputTokens: 90 });
  expect(outcome.usage.cacheWriteTokens).toBe(version === "v4" ? 5 : undefined);
});

test("blank text of a response that was interrupted is not kept", async () => {
  const model = modelOf("v4", []).model;
  model.doStream = async () => ({
    stream: new ReadableStream({
      start: (controller) => controller.enqueue({ type: "text-delta", id: "t", delta: "\n\n" }),
    }),
  });
  const run = new AgentLoop({ engine: aiSdkEngine(model) }).run("Go.");
  for await (const event of run) if (event.type === "text") run.abort();
  expect((await run.outcome).messages).toHaveLength(1);
});

test("a turn that the provider paused is continued with the same transcript", async () => {
  const searched = { type: "custom", kind: "searched" };
  const { model, prompts } = modelOf("v4", [
    [...text("Searching."), searched, end("stop", "pause_turn")],
    answer,
  ]);
  const { outcome } = await converse(model);
  expect(outcome).toMatchObject({ status: "answered", text: "done" });
  expect(prompts[1]?.at(-1)).toMatchObject({
    role: "assistant",
    content: [{ text: "Searching." }, searched],
  });
});

test("a model that pauses again and again ends with the iteration limit", async () => {
  const paused = [...text("Wait."), end("stop", "pause_turn")];
  const { model, prompts } = modelOf("v4", Array(9).fill(paused));
  const { outcome } = await converse(model, { maxToolIterations: 3 });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "ORCHESTRATION_ITERATION_LIMIT" } });
  expect(prompts).toHaveLength(4);
});

test("a run that was killed behind a pause is continued, and its pauses stay counted", async () => {
  const paused = [...text("Wait."), end("stop", "pause_turn")];
  const journal = new MemoryJournal();
  const options = { tools: [send], journal, maxToolIterations: 2 };
  const dies = modelOf("v4", [paused, []]).model;
  await new AgentLoop({ engine: aiSdkEngine(dies), retry: { attempts: 1 }, ...options }).run("Go.", {
    runId: "r",
  }).outcome;
  const { model, prompts } = modelOf("v4", Array(9).fill(paused));
  const outcome = await new AgentLoop({ engine: aiSdkEngine(model), ...options }).resume("r").outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { code: "ORCHESTRATION_ITERATION_LIMIT" } });
  expect(prompts).toHaveLength(2);
});

test("a model of chat completions gets images behind the results, and audio that it does not take is named", async () => {
  const content = [
    { type: "text" as const, text: "a page" },
    { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" },
    { type: "audio" as const, data: "AAAA", mimeType: "audio/ogg" },
  ];
  const look = tool({
    name: "look",
    description: "Look",
    input: { type: "object", properties: { to: { type: "string" } } },
    safety: { sideEffects: "read" },
    execute: () => result({ content }),
  });
  const looks = { ...call, toolName: "look" };
  const { model, prompts } = modelOf("v4", [[looks, end("tool-calls")], answer], "some.chat");
  const { outcome } = await converse(model, { tools: [look] });
  expect(outcome).toMatchObject({ status: "answered" });
  const value = "a page\n[image: see the next message]\n[audio of type audio/ogg was left out]";
  expect(prompts[1]?.slice(-2)).toMatchObject([
    { role: "tool", content: [{ output: { type: "text", value } }] },
    {
      role: "user",
      content: [{ type: "text", text: "The image in the result of look (c):" }, { type: "file" }],
    },
  ]);
});

test("a retry-after beyond the largest backoff fails the run and names both durations", async () => {
  const limited = Object.assign(new Error("slow down"), {
    statusCode: 429,
    responseHeaders: { "retry-after": "300" },
  });
  const { model } = modelOf("v4", []);
  const outcome = await new AgentLoop({
    engine: aiSdkEngine({ ...model, doStream: () => Promise.reject(limited) }),
  }).run("Go.").outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { fault: "rate_limit" } });
  expect(outcome).toMatchObject({
    error: {
      message:
        "slow down The provider asks to wait 5m, longer than retry.maxBackoff (2m). Resume the run later, or raise retry.maxBackoff.",
    },
  });
});
