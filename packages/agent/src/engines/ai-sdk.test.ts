import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { Registry, result, tool } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { describe, expect, test } from "vitest";
import { AgentLoop } from "../loop/loop.ts";
import { aiSdkEngine } from "./ai-sdk.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";

const IMAGE = "iVBORw0KGgo=";
const look = tool({
  name: "look",
  description: "Look",
  input: { type: "object", properties: { at: { type: "string" } } },
  execute: ({ at }) =>
    at === "picture"
      ? result({
          content: [
            { type: "text", text: "seen" },
            { type: "image", data: IMAGE, mimeType: "image/png" },
          ],
        })
      : `looked at ${at}`,
});

const nested = {
  inputTokens: { total: 5, noCache: 3, cacheRead: 2, cacheWrite: 0 },
  outputTokens: { total: 4, text: 3, reasoning: 1 },
};
const flat = { inputTokens: 5, outputTokens: 4, totalTokens: 9, cachedInputTokens: 2, reasoningTokens: 1 };

/** A model of one specification that gives these parts, response by response, and keeps the options it was asked with. */
function modelOf(specificationVersion: "v2" | "v3" | "v4", responses: unknown[][]) {
  const asked: { prompt: Record<string, unknown>[]; tools: unknown; abortSignal: AbortSignal }[] = [];
  const end = (reason: string) => ({
    type: "finish",
    finishReason: specificationVersion === "v2" ? reason : { unified: reason, raw: reason },
    usage: specificationVersion === "v2" ? flat : nested,
  });
  const model: AiSdkModel = {
    specificationVersion,
    provider: "google.test",
    modelId: "m",
    doGenerate: () => Promise.reject(new Error("not used")),
    async doStream(options) {
      asked.push(options);
      const parts = responses[asked.length - 1] ?? [];
      const reason = parts.some((part) => (part as { type: string }).type === "tool-call")
        ? "tool-calls"
        : "stop";
      return { stream: simulateReadableStream({ chunks: [...parts, end(reason)] }) };
    },
  };
  return { model, asked };
}

const callPart = (at: string) => ({
  type: "tool-call",
  toolCallId: at,
  toolName: "look",
  input: JSON.stringify({ at }),
});
const answer = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "done" },
  { type: "text-end", id: "t" },
];

describe.each(["v2", "v3", "v4"] as const)("a model of specification %s", (version) => {
  test("is asked with the transcript and the tools in its own form", async () => {
    const { model, asked } = modelOf(version, [[callPart("door"), callPart("picture")], answer]);
    const picture = [
      { type: "text" as const, text: "see" },
      { type: "image" as const, data: IMAGE, mimeType: "image/png" },
    ];
    const outcome = await new AgentLoop({ engine: aiSdkEngine(model), tools: [look], system: "S" }).run(
      picture,
    ).outcome;
    expect(outcome).toMatchObject({ status: "answered", text: "done" });
    expect(outcome.usage).toEqual({
      inputTokens: 10,
      outputTokens: 8,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    });
    const [system, user, assistant, results] = asked[1]!.prompt as never[] as Record<string, never>[];
    expect(system).toEqual({ role: "system", content: "S" });
    const data = version === "v4" ? { type: "data", data: IMAGE } : IMAGE;
    expect(user).toMatchObject({
      content: [{ type: "text" }, { type: "file", mediaType: "image/png", data }],
    });
    expect(assistant).toMatchObject({
      content: [{ type: "tool-call", toolCallId: "door", input: { at: "door" } }, {}],
    });
    const image = {
      v2: { type: "media", data: IMAGE, mediaType: "image/png" },
      v3: { type: "image-data", data: IMAGE, mediaType: "image/png" },
      v4: { type: "file", data: { type: "data", data: IMAGE }, mediaType: "image/png" },
    }[version];
    expect(results).toEqual({
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "door",
          toolName: "look",
          output: { type: "text", value: "looked at door" },
        },
        {
          type: "tool-result",
          toolCallId: "picture",
          toolName: "look",
          output: { type: "content", value: [{ type: "text", text: "seen" }, image] },
        },
      ],
    });
    expect(asked[1]!.tools).toMatchObject([
      { type: "function", name: "look", inputSchema: { type: "object" } },
    ]);
  });

  test("is told names that it takes, and everybody else the tools' own", async () => {
    const dotted = tool({
      name: "files.read",
      description: "Read",
      input: { type: "object" },
      safety: { sideEffects: "none" },
      execute: () => "read",
    });
    const called: string[] = [];
    const name = vendorName("files.read");
    const call = { ...callPart("door"), toolName: name };
    const { model, asked } = modelOf(version, [
      [call, { ...call, toolCallId: "x", toolName: "no such" }],
      answer,
    ]);
    const run = new AgentLoop({ engine: aiSdkEngine(model), tools: [dotted] }).run("go");
    for await (const event of run) if (event.type === "call.start") called.push(event.name);
    expect((await run.outcome).status).toBe("answered");
    expect(called).toEqual(["files.read", "no such"]);
    expect(asked[0]!.tools).toMatchObject([{ name }]);
    for (const { role, content } of asked[1]!.prompt.slice(1) as { role: string; content: object[] }[])
      expect(content, role).toMatchObject([{ toolName: name }, { toolName: vendorName("no such") }]);
  });

  test("calls nothing else by the name of a tool that is gone", async () => {
    const ran: string[] = [];
    const named = (name: string) =>
      tool({ name, description: name, input: { type: "object" }, execute: () => ran.push(name) });
    const name = vendorName("bank.pay");
    const call = { ...callPart("door"), toolName: name };
    const { model } = modelOf(version, [[call], [{ ...call, toolCallId: "again" }], answer]);
    const tools = new Registry([named("bank.pay")]);
    const run = new AgentLoop({ engine: aiSdkEngine(model), tools }).run("go");
    for await (const event of run)
      if (event.type === "call.end" && tools.remove("bank.pay")) tools.add(named(name));
    expect((await run.outcome).status).toBe("answered");
    expect(ran).toEqual(["bank.pay"]);
  });

  test("gets back what it attached, also to parts that only it understands", async () => {
    const meta = (value: string) => ({ providerMetadata: { test: { value } } });
    const first = [
      { type: "stream-start", warnings: [] },
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "hm" },
      { type: "reasoning-end", id: "r", ...meta("sealed") },
      { type: "tool-call", toolCallId: "p", toolName: "web", input: '{"q":1}', providerExecuted: true },
      { type: "tool-result", toolCallId: "p", toolName: "web", result: { hits: 1 } },
      { ...callPart("door"), ...meta("call") },
    ];
    const { model, asked } = modelOf(version, [first, answer]);
    const { messages } = await new AgentLoop({ engine: aiSdkEngine(model), tools: [look] }).run("go").outcome;
    expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
    expect(asked[1]!.prompt[1]).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { test: { value: "sealed" } } },
        { type: "tool-call", toolCallId: "p", toolName: "web", input: { q: 1 }, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "p",
          toolName: "web",
          output: { type: "json", value: { hits: 1 } },
        },
        {
          type: "tool-call",
          toolCallId: "door",
          toolName: "look",
          input: { at: "door" },
          providerOptions: { test: { value: "call" } },
        },
      ],
    });
  });

  test("is told to stop when the run is aborted", async () => {
    const { model, asked } = modelOf(version, []);
    const cancelled: unknown[] = [];
    model.doStream = async (options) => {
      asked.push(options);
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue({ type: "text-delta", id: "t", delta: "I" }),
        cancel: (reason) => void cancelled.push(reason),
      });
      return { stream };
    };
    const run = new AgentLoop({ engine: aiSdkEngine(model) }).run("go");
    for await (const event of run) if (event.type === "text") run.abort();
    expect((await run.outcome).status).toBe("aborted");
    expect(asked[0]!.abortSignal.aborted).toBe(true);
    expect(cancelled).toHaveLength(1);
  });
});

test("a message is converted once, however long the conversation becomes", async () => {
  const turns = 50;
  const { model, asked } = modelOf("v4", [
    ...Array.from({ length: turns }, (_, index) => [callPart(String(index))]),
    answer,
  ]);
  await new AgentLoop({ engine: aiSdkEngine(model), tools: [look], maxToolIterations: turns }).run("go")
    .outcome;
  const last = asked.at(-1)!;
  for (const [index, { prompt }] of asked.entries()) {
    expect(prompt).toHaveLength(1 + 2 * index);
    for (const [place, message] of prompt.entries()) expect(message).toBe(last.prompt[place]);
  }
  expect(new Set(asked.map(({ tools }) => tools)).size).toBe(1);
});

test("the AI SDK's own mock works unchanged", async () => {
  const model = new MockLanguageModelV4({
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          ...answer,
          { type: "finish", usage: nested, finishReason: { unified: "stop", raw: "stop" } },
        ] as never[],
      }),
    },
  });
  expect(await new AgentLoop({ engine: aiSdkEngine(model) }).run("go").outcome).toMatchObject({
    text: "done",
  });
});

test("models of every specification are accepted by type", () => {
  const take = (model: LanguageModelV2 | LanguageModelV3 | LanguageModelV4) => aiSdkEngine(model).name;
  expect(take({ specificationVersion: "v4", provider: "p", modelId: "m" } as LanguageModelV4)).toBe("p:m");
});

test.each([
  ["gpt-5", "not its name"],
  [{ specificationVersion: "v1" }, "v1"],
  [undefined, "undefined"],
])("refuses %j", (model, words) => {
  expect(() => aiSdkEngine(model as never)).toThrow(words);
});
