import {
  type CallExecutor,
  coerce,
  EventStream,
  Executor,
  MemoryCallStore,
  MemoryJournal,
  MemoryLedger,
  tool,
  transient,
} from "@toolrig/core";
import { failedResult } from "@toolrig/core/kit";
import { describe, expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import type { PlanEvent } from "./events.ts";
import type { Plan, Step } from "./plan.ts";
import { PlanExecutor } from "./plan-executor.ts";
import { planSchema } from "./schema.ts";

const text = { type: "string" } as const;
const search = tool({
  name: "search",
  description: "Search",
  input: {
    type: "object",
    properties: { query: text, limit: { type: "integer" } },
    required: ["query"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: {
      hits: {
        type: "array",
        items: { type: "object", properties: { id: { type: "integer" }, title: text } },
      },
    },
    required: ["hits"],
    additionalProperties: false,
  },
  safety: { sideEffects: "read" },
  execute: ({ query }) => ({ hits: [1, 2, 3].map((id) => ({ id, title: `${query} ${id}` })) }),
});
const fetchDoc = tool({
  name: "fetch_doc",
  description: "Fetch a document",
  input: {
    type: "object",
    properties: { id: { type: "integer" } },
    required: ["id"],
    additionalProperties: false,
  },
  safety: { sideEffects: "read" },
  execute: ({ id }) => (id === 13 ? transient("unlucky") : `text of ${id}`),
});
const tools = [search, fetchDoc];
const from = ($from: string, path?: string) => (path === undefined ? { $from } : { $from, path });

const find: Step = { name: "find", kind: "tool", tool: "search", input: { query: from("input", "/topic") } };
const first: Step = {
  name: "first",
  kind: "tool",
  tool: "fetch_doc",
  input: { id: from("find", "/hits/0/id") },
};

const outcomeOf = (plan: unknown, options: object = {}, input: unknown = { topic: "otters" }) =>
  new PlanExecutor({ tools, ...options }).run(plan, { input }).outcome;

describe("a plan", () => {
  test("feeds outputs into later steps by reference", async () => {
    const plan: Plan = { steps: [first, find], output: { text: from("first"), all: from("find", "/hits") } };
    const outcome = await outcomeOf(plan);
    expect(outcome.status).toBe("completed");
    expect(outcome.outputs.first).toBe("text of 1");
    expect(outcome.output).toMatchObject({ text: "text of 1", all: [{ id: 1 }, { id: 2 }, { id: 3 }] });
  });

  test("maps, asks, validates and loops", async () => {
    const engine = scriptedEngine(({ messages, tools: offered }) => {
      const asked = JSON.stringify(messages[0]);
      if (asked.includes("Summarise")) return asked.includes("text of 1") ? "about otters" : "about nothing";
      if (asked.includes("Rate")) return '{"score": "8"}';
      expect(offered.map((each) => each.name)).toEqual(["fetch_doc"]);
      return messages.length === 1 ? { calls: [{ name: "fetch_doc", arguments: { id: 7 } }] } : "looped";
    });
    const plan: Plan = {
      steps: [
        find,
        {
          name: "docs",
          kind: "map",
          over: from("find", "/hits"),
          do: { kind: "tool", tool: "fetch_doc", input: { id: from("item", "/id") } },
        },
        { name: "summary", kind: "infer", prompt: "Summarise {{docs/0}} and {{docs}}" },
        {
          name: "rating",
          kind: "infer",
          prompt: "Rate {{summary}}",
          schema: { type: "object", properties: { score: { type: "integer" } }, required: ["score"] },
        },
        {
          name: "checked",
          kind: "validate",
          value: from("rating", "/score"),
          schema: { type: "integer", minimum: 5 },
        },
        { name: "agent", kind: "loop", task: "Fetch it: {{summary}}", tools: ["fetch_doc"] },
      ],
    };
    const { outputs, status } = await outcomeOf(plan, { engine });
    expect(status).toBe("completed");
    expect(outputs).toMatchObject({
      docs: ["text of 1", "text of 2", "text of 3"],
      summary: "about otters",
      rating: { score: 8 },
      checked: 8,
      agent: "looped",
    });
  });

  test("a loop within a plan is offered only what is allowed", async () => {
    const offered: string[][] = [];
    const engine = scriptedEngine(({ tools: each }) => {
      offered.push(each.map(({ name }) => name));
      return "ok";
    });
    await outcomeOf(
      { steps: [{ name: "a", kind: "loop", task: "go" }] },
      { engine, executor: { allow: ["search"] } },
    );
    expect(offered).toEqual([["search"]]);
  });

  test("skips what its condition excludes and what needs that, and nothing else", async () => {
    const plan: Plan = {
      steps: [
        find,
        { ...first, when: { value: from("find", "/hits/9"), exists: true } },
        { name: "needs", kind: "tool", tool: "search", input: { query: from("first") } },
        { name: "later", kind: "tool", tool: "search", input: { query: "x" }, after: ["first"] },
        {
          name: "taken",
          kind: "tool",
          tool: "search",
          input: { query: "y" },
          when: { value: from("find", "/hits/0/id"), above: 0, in: [1, 2] },
        },
      ],
    };
    const { steps, status } = await outcomeOf(plan);
    expect(status).toBe("completed");
    expect(
      Object.entries(steps)
        .map(([name, { status }]) => `${name} ${status}`)
        .sort(),
    ).toEqual(["find completed", "first skipped", "later completed", "needs skipped", "taken completed"]);
  });

  test("an error stops what needs it; other branches finish and what is complete is returned", async () => {
    const plan: Plan = {
      steps: [
        find,
        { name: "bad", kind: "tool", tool: "fetch_doc", input: { id: 13 } },
        { name: "after_bad", kind: "tool", tool: "search", input: { query: from("bad") } },
        { name: "far", kind: "tool", tool: "search", input: { query: "x" }, after: ["after_bad"] },
        first,
      ],
    };
    const outcome = await outcomeOf(plan);
    expect(outcome).toMatchObject({
      status: "failed",
      error: { step: "bad", code: "TOOL_TRANSIENT", message: "unlucky" },
      outputs: { first: "text of 1" },
      steps: { after_bad: { status: "stopped" }, far: { status: "stopped" } },
    });
    expect(Object.keys(outcome.outputs).sort()).toEqual(["find", "first"]);
  });

  test("a step is retried where that can do no harm, and only there", async () => {
    const runs = { read: 0, write: 0 };
    const flaky = (name: "read" | "write") =>
      tool({
        name,
        description: name,
        input: { type: "object" },
        ...(name === "read" && { safety: { sideEffects: "read" as const } }),
        execute: () => (++runs[name] < 3 ? transient("again") : "ok"),
      });
    const step = (name: string): Step => ({
      name,
      kind: "tool",
      tool: name,
      retry: { attempts: 5, backoff: 0 },
    });
    const { steps } = await outcomeOf(
      { steps: [step("read"), step("write")] },
      { tools: [flaky("read"), flaky("write")] },
    );
    expect(steps).toMatchObject({
      read: { status: "completed", attempts: 3 },
      write: { status: "failed", attempts: 1 },
    });
    expect(runs).toEqual({ read: 3, write: 1 });
  });

  test("another attempt at a map or a loop does not repeat what the first has done", async () => {
    const sent: string[] = [];
    let busy = 2;
    const send = tool({
      name: "send",
      description: "Send",
      input: { type: "object", properties: { to: text }, required: ["to"] },
      available: () => sent.length < 2 || --busy < 0 || "busy",
      execute: ({ to }) => sent.push(to),
    });
    const retry = { attempts: 4, backoff: 0 };
    const each: Step = {
      name: "each",
      kind: "map",
      over: ["a", "b", "c"],
      concurrency: 1,
      retry,
      do: { kind: "tool", tool: "send", input: { to: from("item") } },
    };
    const agent: Step = { name: "agent", kind: "loop", task: "send d", after: ["each"], retry };
    const engine = scriptedEngine([
      { calls: [{ name: "send", arguments: { to: "d" } }] },
      { error: new Error("the model is gone") },
      "d is sent",
    ]);
    const { steps, outputs } = await outcomeOf(
      { steps: [each, agent] },
      { tools: [send], engine, retry: { attempts: 1 } },
    );
    expect(sent).toEqual(["a", "b", "c", "d"]);
    expect(outputs.agent).toBe("d is sent");
    expect(steps).toMatchObject({ each: { attempts: 3 }, agent: { attempts: 2 } });
  });

  test("a step that takes too long fails, and so does an aborted plan, with what was done", async () => {
    const hang = tool({
      name: "hang",
      description: "Hang",
      input: { type: "object" },
      execute: () => new Promise(() => {}),
    });
    const steps: Step[] = [find, { name: "slow", kind: "tool", tool: "hang", timeout: 5 }];
    const timedOut = await outcomeOf({ steps }, { tools: [search, hang] });
    expect(timedOut).toMatchObject({
      status: "failed",
      error: { code: "CANCELLED_TIMEOUT", step: "slow" },
      outputs: { find: {} },
    });
    const run = new PlanExecutor({ tools: [search, hang] }).run(
      { steps: [find, { name: "slow", kind: "tool", tool: "hang", after: ["find"] }] },
      { input: { topic: "x" } },
    );
    for await (const event of run)
      if (event.type === "call.attempt" && event.name === "hang") run.abort("enough");
    expect(await run.outcome).toMatchObject({
      status: "aborted",
      error: { message: "enough" },
      outputs: { find: {} },
    });
  });

  test("the first item that fails fails the map and stops the rest", async () => {
    const ran: number[] = [];
    const step: Step = {
      name: "docs",
      kind: "map",
      over: [1, 13, 2, 3, 4],
      concurrency: 1,
      do: { kind: "tool", tool: "note", input: { id: from("item") } },
    };
    const note = tool({
      name: "note",
      description: "Note",
      input: { type: "object", properties: { id: { type: "integer" } } },
      execute({ id = 0 }) {
        ran.push(id);
        if (id === 13) throw new Error("unlucky");
        return id;
      },
    });
    const outcome = await outcomeOf({ steps: [step] }, { tools: [note] });
    expect(outcome.error?.message).toBe("Item 1: unlucky");
    expect(ran).toEqual([1, 13]);
  });

  test("reports every step and call in one stream, each with its step", async () => {
    const engine = scriptedEngine(["short"]);
    const plan: Plan = { steps: [find, { name: "sum", kind: "infer", prompt: "Sum up {{find}}" }] };
    const run = new PlanExecutor({ tools, engine }).run(plan, { input: { topic: "x" }, requestId: "q" });
    const events: PlanEvent[] = [];
    for await (const event of run) events.push(event);
    const told = events.map((event) => `${event.type} ${event.stepName ?? ""}`.trim());
    expect(told).toEqual([
      "plan.start",
      "step.start find",
      "call.start find",
      "call.attempt find",
      "call.end find",
      "step.end find",
      "step.start sum",
      "run.start sum",
      "message sum",
      "turn.start sum",
      "text sum",
      "message sum",
      "turn.end sum",
      "run.end sum",
      "step.end sum",
      "plan.end",
    ]);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map((event) => event.requestId))).toEqual(new Set(["q"]));
    expect(events.find((event) => event.stepName === "sum" && event.type === "run.start")?.parentId).toBe(
      run.runId,
    );
  });
});

describe("a plan that cannot be carried out", () => {
  const step = (name: string, input: object, after?: string[]): Step => ({
    name,
    kind: "tool",
    tool: "search",
    input: { query: "x", ...input },
    ...(after !== undefined && { after }),
  });

  test.each<[string, unknown, string]>([
    ["is not a plan", { steps: [{ name: "a" }] }, "steps"],
    ["has no steps", { steps: [] }, "steps"],
    ["uses a name twice", { steps: [step("a", {}), step("a", {})] }, "twice"],
    ["uses a reserved name", { steps: [step("item", {})] }, "reserved"],
    ["refers to nothing", { steps: [step("a", { query: from("fnid") }), find] }, "Did you mean find"],
    ["waits for nothing", { steps: [step("a", {}, ["b"])] }, '"b"'],
    ["refers to itself", { steps: [step("a", { query: from("a") })] }, "waits for itself"],
    [
      "goes in a circle",
      { steps: [step("a", {}, ["c"]), step("b", {}, ["a"]), step("c", {}, ["b"])] },
      "needs",
    ],
    ["uses item outside a map", { steps: [step("a", { query: from("item") })] }, "inside a map"],
    [
      "names no tool",
      { steps: [{ name: "a", kind: "tool", tool: "serch", input: {} }] },
      "Did you mean search",
    ],
    [
      "leaves out an argument",
      { steps: [{ name: "a", kind: "tool", tool: "search", input: { limit: from("input") } }] },
      "query is required",
    ],
    ["has an argument too many", { steps: [step("a", { max: from("input") })] }, "there is no max"],
    ["has a wrong value", { steps: [step("a", { limit: "many" })] }, "limit"],
    [
      "feeds a list into an integer",
      { steps: [find, step("a", { limit: from("find", "/hits") })] },
      "expected integer",
    ],
    [
      "refers to a place that cannot be",
      { steps: [find, step("a", { query: from("find", "/total") })] },
      "will not be there",
    ],
    [
      "goes over something that is no list",
      {
        steps: [
          find,
          {
            name: "m",
            kind: "map",
            over: from("find"),
            do: { kind: "tool", tool: "search", input: { query: "x" } },
          },
        ],
      },
      "list to go over",
    ],
    [
      "feeds an item of the wrong type",
      {
        steps: [
          find,
          {
            name: "m",
            kind: "map",
            over: from("find", "/hits"),
            do: { kind: "tool", tool: "fetch_doc", input: { id: from("item", "/title") } },
          },
        ],
      },
      "expected integer",
    ],
    [
      "needs a model where there is none",
      { steps: [{ name: "a", kind: "infer", prompt: "hi" }] },
      "no engine",
    ],
    ["has a timeout below 0", { steps: [{ ...find, timeout: -1 }] }, "timeout must be a duration above 0"],
    ["has a timeout that is none", { steps: [{ ...find, timeout: "abc" }] }, 'got "abc"'],
    ["has a timeout that no timer holds", { steps: [{ ...find, timeout: "40d" }] }, "up to 24 days"],
    [
      "has a backoff below 0",
      { steps: [{ ...find, retry: { attempts: 2, backoff: -1 } }] },
      "retry.backoff must be a duration of 0 or more",
    ],
    [
      "refers to nothing in a prompt",
      { steps: [{ name: "a", kind: "infer", prompt: "{{nothing}}" }] },
      "nothing",
    ],
  ])("%s: found before anything runs", (_name, plan, words) => {
    const ran: unknown[] = [];
    const executor = new PlanExecutor({
      tools,
      executor: { hooks: { beforeCall: () => void ran.push(1) } } as never,
    });
    expect(
      executor
        .check(plan)
        .map((problem) => problem.message)
        .join("\n"),
    ).toContain(words);
    expect(() => executor.run(plan)).toThrow(
      expect.objectContaining({ code: "ORCHESTRATION_STEP_MISMATCH" }),
    );
    expect(ran).toEqual([]);
  });

  test("a place that turns out not to be there fails its step", async () => {
    const outcome = await outcomeOf({ steps: [{ ...find, input: { query: from("input", "/subject") } }] });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "ORCHESTRATION_STEP_MISMATCH", step: "find" },
    });
  });

  test("names such as __proto__ are data", async () => {
    const plan = JSON.parse(
      '{"steps": [{"name": "__proto__", "kind": "validate", "value": {"__proto__": 1}, "schema": {}}]}',
    );
    const { outputs, status } = await outcomeOf(plan);
    expect(status).toBe("completed");
    expect(Object.keys(outputs)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

test("the published schema accepts the plans that run", () => {
  const plan: Plan = { steps: [find, first], output: from("first") };
  expect(coerce(JSON.parse(JSON.stringify(plan)), planSchema)).toMatchObject({ ok: true, repairs: [] });
});

describe("a plan that was interrupted", () => {
  test("goes on without repeating what is finished, down to the items of a map and the turns of a loop", async () => {
    const sent: string[] = [];
    let broken = true;
    const send = tool({
      name: "send",
      description: "Send",
      input: { type: "object", properties: { to: text }, required: ["to"] },
      execute({ to }) {
        if (to === "c" && broken) throw new Error("no post today");
        sent.push(to);
        return `sent ${to}`;
      },
    });
    const journal = new MemoryJournal();
    const executor = { ledger: new MemoryLedger() };
    const plan: Plan = {
      steps: [
        { name: "one", kind: "tool", tool: "send", input: { to: "one" } },
        { name: "agent", kind: "loop", task: "send two", after: ["one"] },
        {
          name: "many",
          kind: "map",
          over: ["a", "b", "c", "d"],
          concurrency: 1,
          after: ["agent"],
          do: { kind: "tool", tool: "send", input: { to: from("item") } },
        },
      ],
    };
    const call = { calls: [{ id: "x", name: "send", arguments: { to: "two" } }] };
    const options = { tools: [send], journal, executor, retry: { attempts: 1 } };
    const failing = scriptedEngine([call, { error: new Error("power cut") }]);
    const first = await new PlanExecutor({ ...options, engine: failing }).run(plan, { runId: "p" }).outcome;
    expect(first).toMatchObject({ status: "failed", error: { step: "agent" } });

    const second = await new PlanExecutor({ ...options, engine: scriptedEngine(["two is sent"]) }).resume("p")
      .outcome;
    expect(second).toMatchObject({
      status: "failed",
      error: { step: "many" },
      outputs: { one: "sent one", agent: "two is sent" },
    });
    expect(sent).toEqual(["one", "two", "a", "b"]);

    broken = false;
    const third = await new PlanExecutor({ ...options, engine: scriptedEngine([]) }).resume("p").outcome;
    // The call that failed had begun, and its tool may not run twice: its failure stands.
    expect(third).toMatchObject({
      status: "failed",
      error: { step: "many", message: "Item 2: no post today" },
    });
    expect(sent).toEqual(["one", "two", "a", "b"]);
  });

  test("is for whom it was", async () => {
    const seen: unknown[] = [];
    let broken = true;
    const read = tool({
      name: "read",
      description: "Read",
      input: { type: "object" },
      safety: { sideEffects: "read" },
      execute(_, { principal }) {
        seen.push(principal);
        if (broken) throw new Error("gone");
        return "read";
      },
    });
    const executor = new PlanExecutor({ tools: [read], journal: new MemoryJournal() });
    const plan: Plan = { steps: [{ name: "r", kind: "tool", tool: "read" }] };
    const bob = { id: "bob" };
    await executor.run(plan, { runId: "p", principal: bob }).outcome;
    await executor.resume("p", { principal: { id: "eve" } }).outcome;
    broken = false;
    await executor.resume("p").outcome;
    expect(seen).toEqual([bob, { id: "eve" }, { id: "eve" }]);
  });

  test("tries a failed step again when its tool may be repeated", async () => {
    let broken = true;
    const read = tool({
      name: "read",
      description: "Read",
      input: { type: "object" },
      safety: { sideEffects: "read" },
      execute() {
        if (broken) throw new Error("gone");
        return "read";
      },
    });
    const journal = new MemoryJournal();
    const executor = new PlanExecutor({ tools: [read], journal });
    const plan: Plan = { steps: [{ name: "r", kind: "tool", tool: "read" }] };
    expect((await executor.run(plan, { runId: "p" }).outcome).status).toBe("failed");
    broken = false;
    expect(await executor.resume("p").outcome).toMatchObject({ status: "completed", outputs: { r: "read" } });
  });

  test("asks again under the same id about a call of which nobody knows what became", async () => {
    const pay = tool({ name: "pay", description: "Pay", input: { type: "object" }, execute: () => "paid" });
    const ids: unknown[] = [];
    // As of a fleet whose worker was lost: it counts no starts.
    const remote: CallExecutor = {
      events: new EventStream(),
      call: (call, { executionId = "" } = {}) => {
        ids.push(executionId);
        const failure = { code: "TOOL_OUTCOME_UNKNOWN", message: "The worker was lost." } as const;
        return Promise.resolve(failedResult(call, executionId, failure));
      },
      batch: async (calls, { executionIds = [] } = {}) =>
        Promise.all(calls.map((call, i) => remote.call(call, { executionId: executionIds[i] ?? "" }))),
    };
    const executor = new PlanExecutor({ tools: [pay], executor: remote, journal: new MemoryJournal() });
    const plan: Plan = { steps: [{ name: "p", kind: "tool", tool: "pay" }] };
    expect((await executor.run(plan, { runId: "p" }).outcome).status).toBe("failed");
    expect((await executor.resume("p").outcome).status).toBe("failed");
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test("a journal that fails with a code of its own fails the plan with one of ours", async () => {
    class FullJournal extends MemoryJournal {
      override begin(): void {
        throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      }
    }
    const executor = new PlanExecutor({ tools: [search], journal: new FullJournal() });
    const plan = { steps: [{ name: "a", kind: "tool", tool: "search", input: { query: "x" } }] };
    const outcome = await executor.run(plan).outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "ORCHESTRATION_FAILED", message: "no space left" },
    });
  });
});

test("half an answer is no output that later steps act on", async () => {
  const written: unknown[] = [];
  const write = tool({
    name: "write_note",
    description: "Writes",
    input: { type: "object", properties: { text: { type: "string" } } },
    safety: { sideEffects: "write" },
    execute: ({ text }) => written.push(text),
  });
  const engine = scriptedEngine(() => ({ text: "half an ans", finish: "length" }));
  const { status } = await new PlanExecutor({ tools: [write], engine }).run({
    steps: [
      { name: "think", kind: "infer", prompt: "Think" },
      { name: "write", kind: "tool", tool: "write_note", input: { text: { $from: "think" } } },
    ],
  }).outcome;
  expect(status).toBe("failed");
  expect(written).toEqual([]);
});

test("an answer that could be read only in part is used by no step", async () => {
  const written: unknown[] = [];
  const save = tool({
    name: "save",
    description: "Save",
    input: { type: "object", properties: { amount: { type: "number" } } },
    safety: { sideEffects: "write" },
    execute: ({ amount }) => void written.push(amount),
  });
  const schema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
  const plan = {
    steps: [
      { name: "sum", kind: "infer", prompt: "How much?", schema },
      { name: "save", kind: "tool", tool: "save", input: { amount: from("sum", "/amount") } },
    ],
  };
  const run = (replies: string[]) =>
    outcomeOf(plan, { tools: [save], engine: scriptedEngine(replies), journal: new MemoryJournal() });
  const lossy = '{"amount": 1.000,5}';
  const failed = await run([lossy, lossy, lossy, lossy]);
  expect(failed).toMatchObject({ status: "failed", error: { code: "CONSTRAINT_JSON_INVALID", step: "sum" } });
  expect([written, failed.outputs]).toEqual([[], {}]);
  expect((await run([lossy, '{"amount": 1000.5}'])).status).toBe("completed");
  expect(written).toEqual([1000.5]);
});

test("a call that the journal could not take does not run and is on record", async () => {
  class FullJournal extends MemoryJournal {
    override append(runId: string, entries: Parameters<MemoryJournal["append"]>[1]): void {
      if (entries.some(({ type }) => type === "calls")) throw new Error("no space left");
      super.append(runId, entries);
    }
  }
  const store = new MemoryCallStore();
  const executor = new Executor({ tools, store });
  const plan = { steps: [{ ...find, input: { query: "x" } }] };
  const outcome = await outcomeOf(plan, { executor, journal: new FullJournal() });
  await executor.drain();
  expect(outcome.status).toBe("failed");
  expect(store.records()).toMatchObject([
    { name: "search", source: "script", args: { query: "x" }, result: { attempts: 0, isError: true } },
  ]);
});
