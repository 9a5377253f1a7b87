/** Things that agent runtimes in use today get wrong, each under its name: a tool that runs beneath the AI SDK through a rig. */
import { createOpenAI } from "@ai-sdk/openai";
import { type AnyTool, Executor, MemoryCallStore, tool, transient } from "@toolrig/core";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { generateText, isStepCount, wrapLanguageModel } from "ai";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Said } from "../../../agent/test/wire/format.ts";
import { wireServer } from "../../../agent/test/wire/server.ts";
import { rigMiddleware, toAiSdkTools } from "./index.ts";

let server: Awaited<ReturnType<typeof wireServer>>;
beforeAll(async () => {
  server = await wireServer();
});
afterAll(() => server.close());

const calls = (...all: [name: string, args: unknown][]): Said => ({
  calls: all.map(([name, args], index) => ({
    id: `c${index + 1}`,
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  })),
});

/** Has the model say this and then "ok", with these tools beneath the AI SDK. */
async function play(said: Said, ...own: AnyTool[]) {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: own, store });
  const tools = toAiSdkTools(executor);
  server.play([said, { text: "ok" }]);
  const model = createOpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none" }).chat("m");
  const { text } = await generateText({
    model: wrapLanguageModel({ model, middleware: rigMiddleware(tools) }),
    tools,
    stopWhen: isStepCount(5),
    maxRetries: 0,
    prompt: "Go.",
  });
  await executor.drain();
  const messages: { role: string; content: string }[] = server.received.at(-1)?.body.messages ?? [];
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { text, results, records: store.records(), executor };
}

const any = { type: "object" } as const;

test("a Valibot schema that fails still runs the tool", async () => {
  let ran = 0;
  const charge = tool({
    name: "charge",
    description: "Charge an amount",
    input: toStandardJsonSchema(v.object({ amount: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
    execute: () => ++ran,
  });
  const { results } = await play(calls(["charge", { amount: "lots" }], ["charge", { amount: -5 }]), charge);
  expect(ran).toBe(0);
  expect(results).toHaveLength(2);
  for (const text of results) expect(text).toContain("amount");
});

test("a late result returned as success", async () => {
  const late = tool({
    name: "late",
    description: "Ignores its signal",
    input: any,
    timeout: 5,
    execute: () => new Promise<string>((resolve) => setTimeout(resolve, 40, "too late")),
  });
  const { results } = await play(calls(["late", {}]), late);
  expect(results).toEqual([expect.stringContaining("TOOL_TIMEOUT")]);
});

test("a truncated chunk turned into a valid call", async () => {
  const removed: unknown[] = [];
  const remove = tool({
    name: "remove",
    description: "Remove a path",
    input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: ({ path }) => removed.push(path),
  });
  const { results } = await play(calls(["remove", '{"path": "/home']), remove);
  expect(removed).toEqual([]);
  expect(results).toEqual([expect.stringContaining("cut off")]);
});

test("a throwing send_email run three times", async () => {
  for (const thrown of [new Error("smtp"), transient("later")]) {
    let sent = 0;
    const send = tool({
      name: "send_email",
      description: "Send an email",
      input: any,
      execute() {
        sent += 1;
        throw thrown;
      },
    });
    const { results } = await play(calls(["send_email", {}]), send);
    expect([sent, results.length]).toEqual([1, 1]);
  }
});

test("calls executed on finish reason length", async () => {
  const ran: string[] = [];
  const write = tool({ name: "write", description: "Write", input: any, execute: () => ran.push("write") });
  await play({ ...calls(["write", {}]), cut: true }, write);
  expect(ran).toEqual([]);
});

test("a validation error that tells the model nothing", async () => {
  const book = tool({
    name: "book",
    description: "Book a room",
    input: {
      type: "object",
      properties: {
        nights: { type: "integer", minimum: 1 },
        room: { enum: ["single", "double"] },
        guest: { type: "string" },
      },
      required: ["nights", "room", "guest"],
      additionalProperties: false,
    },
    execute: () => "booked",
  });
  const { results } = await play(calls(["book", { nights: 0, room: "suite", gest: "Ann" }]), book);
  for (const word of ["nights", "room", "single", "double", "guest", "gest"])
    expect(results[0]).toContain(word);
});

test("a circular result that kills the run", async () => {
  const circle: Record<string, unknown> = { name: "circle", big: 10n };
  circle.self = circle;
  const round = tool({ name: "round", description: "Round", input: any, execute: () => circle });
  const { text, results, records } = await play(calls(["round", {}], ["round", { again: true }]), round);
  expect([text, records.length]).toEqual(["ok", 2]);
  expect(results[0]).toContain("circular");
});

test("an unknown tool that ends the run", async () => {
  const greet = tool({ name: "greet", description: "Greet", input: any, execute: () => "hello" });
  const { text, results, records } = await play(calls(["gret", {}]), greet);
  expect([text, records[0]?.result.failure?.code]).toEqual(["ok", "TOOL_NOT_FOUND"]);
  expect(results[0]).toContain("greet");
});
