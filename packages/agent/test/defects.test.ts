/** Things that agent runtimes in use today get wrong, each under its name. */
import {
  type AnyTool,
  combineSources,
  Executor,
  MemoryCallStore,
  MemoryDescriptionStore,
  Registry,
  tool,
  transient,
  withCapabilities,
} from "@toolrig/core";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  AgentLoop,
  type AgentLoopOptions,
  type EngineEvent,
  type EngineRequest,
  findToolsTool,
  type Message,
  type ScriptedReply,
  scriptedEngine,
} from "../src/index.ts";

function resultsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => JSON.stringify(content)) : [],
  );
}

async function resultsAfter(replies: readonly ScriptedReply[], ...tools: AnyTool[]) {
  const outcome = await new AgentLoop({
    engine: scriptedEngine(replies),
    tools,
    retry: { attempts: 2, backoff: 0 },
  }).run("go").outcome;
  return { outcome, results: resultsOf(outcome.messages) };
}

const call = (name: string, args: unknown = {}) => ({ name, arguments: args });

test("a Valibot schema that fails still runs the tool", async () => {
  let ran = 0;
  const charge = tool({
    name: "charge",
    description: "Charge an amount",
    input: toStandardJsonSchema(v.object({ amount: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
    execute: () => ++ran,
  });
  const { results } = await resultsAfter(
    [{ calls: [call("charge", { amount: "lots" }), call("charge", { amount: -5 })] }, "ok"],
    charge,
  );
  expect(ran).toBe(0);
  expect(results).toHaveLength(2);
  for (const text of results) expect(text).toContain("amount");
});

test("a late result returned as success", async () => {
  const late = tool({
    name: "late",
    description: "Ignores its signal",
    input: { type: "object" },
    timeout: 5,
    execute: () => new Promise<string>((resolve) => setTimeout(resolve, 40, "too late")),
  });
  const executor = new Executor({ tools: [late] });
  const lateEvents: unknown[] = [];
  executor.events.on("call.late", (event) => lateEvents.push(event));
  const engine = scriptedEngine([{ calls: [call("late")] }, "ok"]);
  const { messages } = await new AgentLoop({ engine, tools: [late], executor }).run("go").outcome;
  expect(resultsOf(messages)[0]).toContain("TOOL_TIMEOUT");
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(lateEvents).toMatchObject([{ value: "too late", isError: false }]);
  expect(JSON.stringify(messages)).not.toContain("too late");
});

test("a truncated chunk turned into a valid call", async () => {
  const removed: unknown[] = [];
  const remove = tool({
    name: "remove",
    description: "Remove a path",
    input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: ({ path }) => removed.push(path),
  });
  // The stream ends inside the arguments, which would close to the path "/home": no finish, then a finish by length.
  const cut: EngineEvent[] = [{ type: "tool-call", id: "1", name: "remove", arguments: '{"path": "/home' }];
  const { results } = await resultsAfter(
    [
      cut,
      [...cut, { type: "finish", reason: "length" }],
      [...cut, { type: "finish", reason: "tool-calls" }],
      "ok",
    ],
    remove,
  );
  expect(removed).toEqual([]);
  expect(results).toHaveLength(2);
  for (const text of results) expect(text).toContain("cut off");
});

test("a throwing send_email run three times", async () => {
  let sent = 0;
  const send = (thrown: unknown) =>
    tool({
      name: "send_email",
      description: "Send an email",
      input: { type: "object" },
      execute() {
        sent += 1;
        throw thrown;
      },
    });
  for (const thrown of [
    new Error("smtp"),
    transient("later"),
    Object.assign(new Error("reset"), { code: "ECONNRESET" }),
  ]) {
    sent = 0;
    const { results } = await resultsAfter([{ calls: [call("send_email")] }, "ok"], send(thrown));
    expect([sent, results.length]).toEqual([1, 1]);
  }
});

test("calls executed on finish reason length", async () => {
  const ran: string[] = [];
  const both = ["read", "write"].map((name) =>
    tool({
      name,
      description: name,
      input: { type: "object" },
      ...(name === "read" && { safety: { sideEffects: "read" as const } }),
      execute: () => ran.push(name),
    }),
  );
  const { results, outcome } = await resultsAfter(
    [{ calls: [call("read"), call("write")], finish: "length" }, "ok"],
    ...both,
  );
  expect(ran).toEqual([]);
  expect(results).toHaveLength(2);
  expect(outcome.text).toBe("ok");
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
  const { results } = await resultsAfter(
    [{ calls: [call("book", { nights: 0, room: "suite", gest: "Ann" })] }, "ok"],
    book,
  );
  for (const word of ["nights", "room", "single", "double", "guest", "gest"])
    expect(results[0]).toContain(word);
});

test("a circular result that kills the run", async () => {
  const store = new MemoryCallStore();
  const circle: Record<string, unknown> = { name: "circle", big: 10n };
  circle.self = circle;
  const round = tool({
    name: "round",
    description: "Round",
    input: { type: "object" },
    execute: () => circle,
  });
  const executor = new Executor({ tools: [round], store });
  const engine = scriptedEngine([{ calls: [call("round"), call("round")] }, "survived"]);
  const outcome = await new AgentLoop({ engine, tools: [round], executor }).run("go").outcome;
  expect(outcome.text).toBe("survived");
  expect(resultsOf(outcome.messages)[0]).toContain("circular");
  await executor.drain();
  expect(store.records()).toHaveLength(2);
});

describe("a description override that only a bare registry tells the model", () => {
  const descriptions = new MemoryDescriptionStore();
  descriptions.set("greet", "overridden");
  const greet = tool({
    name: "greet",
    description: "as in code",
    input: { type: "object" },
    execute: () => "hello",
  });
  const registry = new Registry([greet], { descriptions });

  async function told(options: Omit<AgentLoopOptions, "engine">) {
    const requests: EngineRequest[] = [];
    const engine = scriptedEngine((request) => {
      requests.push(request);
      return "done";
    });
    await new AgentLoop({ engine, ...options }).run("greet somebody").outcome;
    return requests[0]?.tools.find(({ name }) => name === "greet")?.description;
  }

  test.each<[string, Omit<AgentLoopOptions, "engine">]>([
    ["a registry", { tools: registry }],
    ["combined sources", { tools: combineSources(registry) }],
    ["granted capabilities", { tools: withCapabilities(registry, []) }],
    ["an executor with an allowlist", { tools: registry, executor: { allow: ["greet"] } }],
    ["selection", { tools: registry, selection: { threshold: 0 } }],
    ["selection over a wrapper", { tools: combineSources(registry), selection: { threshold: 0 } }],
  ])("%s", async (_name, options) => {
    expect(await told(options)).toBe("overridden");
  });

  test("find_tools", async () => {
    const source = combineSources(registry);
    const executor = new Executor({ tools: [findToolsTool(source)] });
    const { value } = await executor.call({
      id: "c",
      name: "find_tools",
      arguments: { query: "overridden" },
    });
    expect(value).toMatchObject([{ name: "greet", description: "overridden" }]);
  });
});

test("a refused call recorded with another source and principal than one that runs", async () => {
  const store = new MemoryCallStore();
  const note = tool({
    name: "note",
    description: "Note",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => 1,
  });
  const tools = [note];
  const executor = new Executor({ tools, store });
  const text = (n: number) => `<tool_call>{"name": "note", "arguments": {"n": ${n}}}</tool_call>`;
  const engine = scriptedEngine([text(1), text(2), "done"]);
  await new AgentLoop({ engine, tools, executor, budgets: { calls: 1 } }).run("go", {
    principal: { id: "ada" },
    requestId: "req_1",
    stepName: "step",
  }).outcome;
  await executor.drain();
  const records = store.records();
  expect(records.map(({ result }) => result.failure?.code)).toEqual([undefined, "TOOL_BUDGET_EXCEEDED"]);
  for (const record of records) {
    expect(record).toMatchObject({
      source: "extracted",
      principal: { id: "ada" },
      requestId: "req_1",
      stepName: "step",
    });
    expect(record.parentId).toBeUndefined();
  }
});
