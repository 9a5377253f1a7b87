import { tool as aiTool, jsonSchema, type Tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CallEvent } from "../call/events.ts";
import { transient } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import type { ExecutorOptions } from "../pipeline/options.ts";
import { Registry } from "../source/registry.ts";
import { type AiSdkTool, fromAiSdk } from "./from-ai-sdk.ts";

const weather = aiTool({
  description: "Looks up the weather",
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: async ({ city, days }, { toolCallId, abortSignal }) => ({
    city,
    days,
    toolCallId,
    told: abortSignal?.aborted,
  }),
});

const call = (args: unknown = { city: "Oslo" }) => ({ id: "c1", name: "weather", arguments: args });

test("a tool of the AI SDK is registered and called unchanged", async () => {
  const executor = new Executor({ tools: { weather } });
  const { value, isError } = await executor.call(call());
  expect(isError).toBe(false);
  expect(value).toEqual({ city: "Oslo", days: 1, toolCallId: "c1", told: false });
});

test("its definition is JSON Schema, and undeclared safety counts as external", () => {
  const registry = new Registry({ weather });
  expect(registry.definitions()[0]).toMatchObject({
    name: "weather",
    description: "Looks up the weather",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    annotations: { readOnlyHint: false },
  });
  expect(registry.get("weather")).toMatchObject({ type: "ai-sdk", safety: { sideEffects: "external" } });
});

test("its schema's own validator has the last word", async () => {
  const picky = aiTool({
    inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
    execute: ({ n }) => n,
  });
  const executor = new Executor({ tools: { weather: picky } });
  expect((await executor.call(call({ n: 4 }))).value).toBe(4);
  const { failure } = await executor.call(call({ n: 3 }));
  expect(failure).toMatchObject({
    kind: "validation",
    details: { arguments: [{ path: "/n", message: "n: must be even" }] },
  });
});

test("jsonSchema() with and without a validator of its own", async () => {
  const plain = aiTool({
    inputSchema: jsonSchema<{ a: number }>({
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
    }),
    execute: ({ a }) => a + 1,
  });
  const strict = aiTool({
    inputSchema: jsonSchema<{ a: number }>(
      { type: "object" },
      { validate: () => ({ success: false, error: new Error("never") }) },
    ),
    execute: ({ a }) => a,
  });
  const executor = new Executor({ tools: { plain, strict } });
  expect((await executor.call({ id: "c", name: "plain", arguments: '{"a":1}' })).value).toBe(2);
  expect((await executor.call({ id: "c", name: "plain", arguments: "{}" })).failure?.kind).toBe("validation");
  expect((await executor.call({ id: "c", name: "strict", arguments: "{}" })).failure?.kind).toBe(
    "validation",
  );
});

test("a generator's values are progress and its last one is the result", async () => {
  const events: CallEvent[] = [];
  const streaming = aiTool({
    inputSchema: z.object({}),
    async *execute() {
      yield { status: "loading" };
      yield { status: "done" };
    },
  });
  const executor = new Executor({ tools: { streaming }, events: (event) => events.push(event) });
  expect((await executor.call({ id: "c", name: "streaming" })).value).toEqual({ status: "done" });
  expect(events.filter((event) => event.type === "call.update")).toHaveLength(2);
});

test("a generator that hangs is given up and closed", async () => {
  let closed = false;
  const hanging = aiTool({
    inputSchema: z.object({}),
    async *execute(_input, { abortSignal }) {
      try {
        yield "started";
        await new Promise((resolve) => abortSignal?.addEventListener("abort", resolve));
        yield "aborted";
      } finally {
        closed = true;
      }
    },
  });
  const executor = new Executor({ tools: { hanging }, timeout: 20 });
  expect((await executor.call({ id: "c", name: "hanging" })).failure?.code).toBe("TOOL_TIMEOUT");
  await expect.poll(() => closed).toBe(true);
});

describe("needsApproval", () => {
  async function codeWith(
    needsApproval: boolean | ((input: { city: string }) => boolean | Promise<boolean>),
    options: ExecutorOptions = {},
  ) {
    const guarded = aiTool({
      inputSchema: z.object({ city: z.string() }),
      needsApproval,
      execute: () => "ran",
    });
    return (
      (await new Executor({ tools: { weather: guarded }, ...options }).call(call())).failure?.code ?? "ran"
    );
  }

  test.each([
    ["true", true, "TOOL_APPROVAL_REJECTED"],
    ["false", false, "ran"],
    ["a function that says yes", ({ city }: { city: string }) => city === "Oslo", "TOOL_APPROVAL_REJECTED"],
    ["a function that says no later", async () => false, "ran"],
  ] as const)("%s", async (_name, needsApproval, expected) => {
    expect(await codeWith(needsApproval)).toBe(expected);
  });

  test("somebody can approve", async () => {
    expect(await codeWith(true, { approve: () => ({ approved: true }) })).toBe("ran");
  });
});

describe("toModelOutput", () => {
  type Shape = NonNullable<Tool<object, string>["toModelOutput"]>;

  async function shaped(toModelOutput: Shape) {
    const shaping = aiTool({ inputSchema: z.object({}), execute: () => "raw" as string, toModelOutput });
    return new Executor({ tools: { shaping } }).call({ id: "c", name: "shaping" });
  }

  test("is what the model reads, while programs get the output", async () => {
    const { content, value } = await shaped(({ output }) => ({ type: "text", value: `cooked ${output}` }));
    expect(content).toEqual([{ type: "text", text: "cooked raw" }]);
    expect(value).toBe("raw");
  });

  test("makes text, images and links of content", async () => {
    const { content } = await shaped(() => ({
      type: "content",
      value: [
        { type: "text", text: "a picture" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
        {
          type: "file",
          mediaType: "application/pdf",
          data: { type: "url", url: new URL("https://example.com/a.pdf") },
        },
        { type: "file", mediaType: "text/plain", data: { type: "text", text: "inline" } },
      ],
    }));
    expect(content).toEqual([
      { type: "text", text: "a picture" },
      { type: "image", data: "AQID", mimeType: "image/png" },
      { type: "resource", uri: "https://example.com/a.pdf", mimeType: "application/pdf" },
      { type: "text", text: "inline" },
    ]);
  });

  test.each([
    ["error-text", { type: "error-text", value: "broke" }, "broke"],
    ["error-json", { type: "error-json", value: { broke: 1 } }, '{"broke":1}'],
    ["execution-denied", { type: "execution-denied", reason: "no" }, "no"],
  ] as const)("%s is a failure", async (_name, output, text) => {
    const { isError, content } = await shaped(() => output);
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: "text", text }]);
  });
});

test("a tool that the provider executes cannot be registered, nor one without a name", () => {
  expect(() => new Registry({ remote: aiTool({ inputSchema: z.object({}) }) as never })).toThrow(
    /no execute function/,
  );
  expect(() => new Registry([weather as never])).toThrow(/has no name of its own/);
  expect(new Registry().add(weather, { name: "weather" }).get("weather")).toBeDefined();
});

test("what a program gives beside its tools comes to the tool", async () => {
  const greet = aiTool({
    description: ({ context }) => `Greets in ${context.language}`,
    inputSchema: z.object({}),
    contextSchema: z.object({ language: z.string() }),
    needsApproval: (_input, { context }) => context.language === "latin",
    execute: (_input, { context }) => context.language,
  });
  const own = (language: string) => fromAiSdk("greet", greet as AiSdkTool, { context: { language } });
  expect(own("welsh").definition.description).toBe("Greets in welsh");
  const ask = (language: string) =>
    new Executor({ tools: [own(language)] }).call({ id: "c1", name: "greet" });
  expect((await ask("welsh")).value).toBe("welsh");
  expect((await ask("latin")).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
});

test("what a tool of the AI SDK cannot say is said beside it", async () => {
  let starts = 0;
  const busy = aiTool({
    inputSchema: z.object({}),
    async execute() {
      starts += 1;
      if (starts === 1) throw transient("busy");
      return "done";
    },
  });
  const safety = { sideEffects: "read", idempotent: true } as const;
  const read = fromAiSdk("read_it", busy, { safety, retry: { attempts: 2, backoff: 1 } });
  const { value, attempts } = await new Executor({ tools: [read] }).call({ id: "c1", name: "read_it" });
  expect([value, attempts]).toEqual(["done", 2]);
  expect(() => fromAiSdk("read_it", busy, { savety: safety } as never)).toThrow('Did you mean "safety"?');
});

test("a tool with a field that would be lost is refused, naming it", () => {
  const make = (field: object) => () => fromAiSdk("weather", { ...weather, ...field } as AiSdkTool);
  expect(make({ supportsDeferredResults: true })).toThrow(
    expect.objectContaining({
      code: "OPTION_INVALID",
      message: expect.stringContaining("supportsDeferredResults"),
    }),
  );
  expect(make({ guardedBy: () => false })).toThrow(/guardedBy/);
  expect(make({ strict: true, supportsDeferredResults: false })).not.toThrow();
});

test("a tool that listens to its input hears of it where no loop of the AI SDK makes the call", async () => {
  const heard: unknown[] = [];
  const listening = aiTool({
    inputSchema: z.object({ city: z.string() }),
    onInputStart: ({ toolCallId }) => void heard.push(toolCallId),
    onInputAvailable: ({ input }) => void heard.push(input),
    execute: async function* ({ city }) {
      heard.push("runs");
      yield "looking";
      yield city;
    },
  });
  const executor = new Executor({ tools: { weather: listening } });
  expect((await executor.call(call())).value).toBe("Oslo");
  expect(heard).toEqual(["c1", { city: "Oslo" }, "runs"]);
});

test("its approval and its code are given what the loop of the AI SDK gave to this very call", async () => {
  const given: unknown[] = [];
  const tenant = aiTool({
    inputSchema: z.object({ city: z.string() }),
    needsApproval: (_input, { context }) => given.push(context) === 0,
    execute: (_input, { context, messages }) => void given.push(context, messages.length),
  });
  const executor = new Executor({ tools: { weather: fromAiSdk("weather", tenant, { context: "of all" }) } });
  const context = { toolCallId: "c1", context: { user: "ann" }, messages: [{}, {}] };
  await executor.call(call(), { loop: { name: "ai-sdk", context, outputs: new Map() } });
  await executor.call({ ...call(), id: "c2" }, { loop: { name: "ai-sdk", context, outputs: new Map() } });
  await executor.call(call(), { loop: { name: "another", context, outputs: new Map() } });
  expect(given).toEqual([{ user: "ann" }, { user: "ann" }, 2, "of all", "of all", 2, "of all", "of all", 0]);
});
