import { type CallRecord, Executor, MemoryCallStore, type Principal, Registry, tool } from "@toolrig/core";
import { FakeClock } from "@toolrig/core/testing";
import { describe, expect, test } from "vitest";
import { type Script, type ScriptedReply, scriptedEngine } from "../engines/scripted.ts";
import { ModelFault } from "../model/faults.ts";
import type { ToolResultPart } from "../model/message.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import type { RunOutcome } from "../run/outcome.ts";
import type { LoopToolOptions } from "./as-tool.ts";
import { AgentLoop } from "./loop.ts";
import type { AgentLoopOptions } from "./options.ts";

const input = { type: "object", properties: { task: { type: "string" } }, required: ["task"] } as const;
const usage = { inputTokens: 60, outputTokens: 40 };

const note = tool({
  name: "note",
  description: "Take a note",
  input: { type: "object", properties: { text: { type: "string" } } },
  safety: { sideEffects: "read" },
  execute: ({ text = "" }) => `noted ${text}`,
});
const noting = (text: string) => ({ name: "note", arguments: { text } });
const research = (task: string) => ({ name: "research", arguments: { task } });

type Own = Partial<AgentLoopOptions>;

/** A loop whose one tool is a run of another loop. */
function nested(inner: Script, outer: Script, { of = {}, by = {}, as = {} }: NestedOptions = {}) {
  const child = new AgentLoop({ engine: scriptedEngine(inner), tools: [note], ...of });
  const made = child.asTool({ name: "research", description: "Find out", input, ...as });
  const parent = new AgentLoop({ engine: scriptedEngine(outer), tools: [made, note], ...by });
  return { child, made, parent };
}

interface NestedOptions {
  of?: Own;
  by?: Own;
  as?: Partial<LoopToolOptions<typeof input>>;
}

function resultsOf({ messages }: RunOutcome): ToolResultPart[] {
  return messages.flatMap((message) => (message.role === "tool" ? message.results : []));
}

const textsOf = (outcome: RunOutcome) =>
  resultsOf(outcome).map(({ content }) => content.map((part) => ("text" in part ? part.text : "")).join(""));

test("a run is a tool of another: its task is made of the arguments, its answer is the result", async () => {
  const tasks: unknown[] = [];
  const asked: Script = ({ messages }) => {
    const [first] = messages;
    tasks.push(first?.role === "user" && first.content);
    return "Rome is warm";
  };
  const { parent } = nested(asked, [{ calls: [research("How is Rome?")] }, "done"]);
  const outcome = await parent.run("go").outcome;
  expect(outcome).toMatchObject({ status: "answered", text: "done", calls: 1 });
  expect(textsOf(outcome)).toEqual(["Rome is warm"]);
  const two = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } } as const;
  const child = new AgentLoop({ engine: scriptedEngine(asked) });
  const make = (prompt?: (args: { a?: string; b?: number }) => string) =>
    child.asTool({ name: "ask", description: "Ask", input: two, ...(prompt && { prompt }) });
  const call = { id: "c", name: "ask", arguments: { a: "x", b: 2 } };
  await new Executor({ tools: [make()] }).call(call);
  await new Executor({ tools: [make(({ a, b }) => `${a} times ${b}`)] }).call(call);
  expect(tasks).toEqual(["How is Rome?", '{\n  "a": "x",\n  "b": 2\n}', "x times 2"]);
  const nothing = await new Executor({ tools: [make(() => " ")] }).call(call);
  expect(nothing.failure).toMatchObject({ kind: "validation", message: "ask was given no task." });
});

test("undeclared, it counts as external, and the ledger keeps it however it is declared", () => {
  const { made, child } = nested([], []);
  expect(made).toMatchObject({ type: "loop", ledger: true, timeoutMs: 3_600_000 });
  expect(made.safety).toMatchObject({ sideEffects: "external", idempotent: false });
  const safety = { sideEffects: "read" } as const;
  const options = { name: "look", description: "Look", input, safety };
  expect(child.asTool(options)).toMatchObject({ ledger: true, safety });
  expect(child.asTool({ ...options, ledger: false, timeout: "5s" })).toMatchObject({
    ledger: false,
    timeoutMs: 5_000,
  });
  expect(() => child.asTool({ ...options, promt: () => "x" } as never)).toThrow(/promt/);
  expect(() => child.asTool({ ...options, maxDepth: 0 })).toThrow(/maxDepth/);
  expect(() => child.asTool({ ...options, prompt: "x" as never })).toThrow(/prompt/);
});

test("events and records of the run within tell whose it is, and its principal is the caller's", async () => {
  const events: LoopEvent[] = [];
  const records = new MemoryCallStore();
  const seen: (Principal | undefined)[] = [];
  const guard = {
    name: "see",
    before: ({ principal }: { principal?: Principal }) => void seen.push(principal),
  };
  const { parent } = nested([{ calls: [noting("a")] }, "found"], [{ calls: [research("find")] }, "done"], {
    of: {
      events: (event) => void events.push(event),
      executor: { store: records, guards: [guard as never] },
    },
    by: { executor: { store: records } },
  });
  const ann = { id: "ann", roles: ["clerk"] };
  const how = { runId: "r", requestId: "q", principal: ann };
  const [result] = resultsOf(await parent.run("go", how).outcome);
  const { executionId } = result!;
  const runId = `${executionId}/run`;
  expect(events.length).toBeGreaterThan(5);
  for (const event of events) expect(event).toMatchObject({ runId, requestId: "q", parentId: executionId });
  expect(seen).toEqual([ann]);
  const all = () => [...(records.records() as Iterable<CallRecord>)];
  await expect.poll(() => all().length).toBe(2);
  const [inner, outer] = all().sort((a, b) => (a.runId! < b.runId! ? -1 : 1));
  expect(inner).toMatchObject({ name: "note", runId, parentId: executionId, requestId: "q" });
  expect(inner!.executionId.startsWith(`${runId}/exec_`)).toBe(true);
  expect(outer).toMatchObject({ name: "research", runId: "r", executionId, requestId: "q" });
  expect(outer!.parentId).toBeUndefined();
});

test("each turn of the run within is progress of the call", async () => {
  const updates: unknown[] = [];
  const { parent } = nested([{ calls: [noting("a")] }, "found"], [{ calls: [research("find")] }, "done"]);
  for await (const event of parent.run("go"))
    if (event.type === "call.update") updates.push([event.name, event.update.details]);
  const runId = expect.stringMatching(/^exec_.*\/run$/);
  expect(updates).toEqual([
    ["research", { runId, turn: 1 }],
    ["research", { runId, turn: 2 }],
  ]);
});

describe("budgets", () => {
  test("what a run within spends counts on the run around it", async () => {
    const inner = [
      { calls: [noting("a"), noting("b")], usage },
      { text: "found", usage },
    ];
    const outer = [
      { calls: [research("find")], usage },
      { calls: [noting("c")], usage },
      { text: "done", usage },
    ];
    const calls = await nested(inner, outer, { by: { budgets: { calls: 3 } } }).parent.run("go").outcome;
    expect(textsOf(calls)[1]).toMatch(/TOOL_BUDGET_EXCEEDED.*The run's budget of 3 calls is used up/);
    const enough = await nested(inner, outer, { by: { budgets: { calls: 4 } } }).parent.run("go").outcome;
    expect(textsOf(enough)[1]).toBe("noted c");
    const tokens = await nested(inner, outer, { by: { budgets: { tokens: 250 } } }).parent.run("go").outcome;
    expect(tokens).toMatchObject({
      status: "failed",
      error: { code: "ORCHESTRATION_BUDGET_EXCEEDED", message: expect.stringContaining("300 were taken") },
    });
  });

  test("a run within has what is left, and its own budgets where they are less", async () => {
    const inner = [{ calls: [noting("a"), noting("b"), noting("c")] }, "what I have"];
    const outer = [{ calls: [noting("z"), research("find")] }, "done"] as const;
    const left: Own[] = [{ calls: 4 }, { calls: 9 }].map((budgets) => ({ budgets }) as Own);
    for (const [by, of, ran] of [
      [left[0], {}, 2],
      [left[1], { budgets: { calls: 1 } }, 1],
      [left[1], {}, 3],
    ] as const) {
      const texts: string[] = [];
      const onToolResult: Own["onToolResult"] = ({ isError }) => void texts.push(isError ? "refused" : "ran");
      const { parent } = nested(inner, outer, { by: by!, of: { ...of, onToolResult } });
      const outcome = await parent.run("go").outcome;
      expect(texts.filter((text) => text === "ran")).toHaveLength(ran);
      expect(textsOf(outcome)[1]).toBe("what I have");
    }
    const poor = nested(
      [
        { calls: [noting("a")], usage },
        { text: "never", usage },
      ],
      [{ ...outer[0], usage: { inputTokens: 1, outputTokens: 0 } }],
      {
        by: { budgets: { tokens: 50 } },
      },
    );
    const [, refused] = textsOf(await poor.parent.run("go").outcome);
    expect(refused).toMatch(
      /TOOL_BUDGET_EXCEEDED.*The outer run's budget of 50 tokens is used up \(101 were/,
    );
  });

  test("runs beside each other do not both take what is left", async () => {
    let ran = 0;
    const slow = tool({
      name: "note",
      description: "Take a note",
      input: { type: "object" },
      safety: { sideEffects: "read" },
      execute: async () => {
        ran += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return "noted";
      },
    });
    const inner: Script = ({ messages, tools }) =>
      tools.length === 0 || messages.length > 3 ? "done" : { calls: [noting("1"), noting("2"), noting("3")] };
    const outer = [{ calls: [research("a"), research("b"), research("c")] }, "done"];
    const { parent } = nested(inner, outer, { of: { tools: [slow] }, by: { budgets: { calls: 7 } } });
    await parent.run("go").outcome;
    expect(ran).toBe(4);
  });

  test("answers from memory are free, within as without", async () => {
    let ran = 0;
    const pure = tool({
      name: "note",
      description: "Look",
      input: { type: "object" },
      safety: { sideEffects: "read" },
      pure: true,
      execute: () => ++ran,
    });
    const inner = [{ calls: [noting("a"), noting("a")] }, { calls: [noting("a")] }, "found"];
    const outer = [{ calls: [research("find")] }, { calls: [noting("c")] }, "done"];
    const { parent } = nested(inner, outer, {
      of: { tools: [pure], repeats: false },
      by: { budgets: { calls: 3 } },
    });
    expect(textsOf(await parent.run("go").outcome)[1]).toBe("noted c");
    expect(ran).toBe(1);
  });
});

describe("how a run within ends", () => {
  const outer = [{ calls: [research("find")] }, "done"];
  const failing = (inner: Script, of: Own = {}) =>
    nested(inner, outer, { of: { retry: { attempts: 1 }, ...of } });
  const talking = { text: "I think it is Rome.", calls: [noting("a")] };
  const cases: [string, ReturnType<typeof nested>, RegExp][] = [
    [
      "iterations",
      failing(() => talking, { maxToolIterations: 1 }),
      /^Error \(TOOL_BUDGET_EXCEEDED\): The run may feed .*\nThe last it said: I think it is Rome\./,
    ],
    [
      "tokens",
      failing(() => ({ ...talking, usage }), { budgets: { tokens: 10 } }),
      /\(TOOL_BUDGET_EXCEEDED\)/,
    ],
    [
      "a model that may come back",
      failing([{ error: new ModelFault("overloaded", "busy") }]),
      /\(TOOL_TRANSIENT\)/,
    ],
    [
      "a model that does not",
      failing([{ error: new ModelFault("authentication", "no key") }]),
      /\(TOOL_EXECUTION_FAILED\): no key/,
    ],
    [
      "half an answer",
      failing([{ text: "It is", finish: "length" }]),
      /cut off \("length"\).*\nThe last it said: It is/,
    ],
    [
      "a hook that throws",
      failing(["x"], {
        hooks: {
          onAnswer: () => {
            throw new Error("broken");
          },
        },
      }),
      /\(TOOL_EXECUTION_FAILED\): broken/,
    ],
  ];
  test.each(cases)("%s", async (_, { parent }, expected) => {
    const outcome = await parent.run("go").outcome;
    expect(textsOf(outcome)[0]).toMatch(expected);
    expect(outcome.status).toBe("answered");
  });

  test("a guard that stops it does not stop the run around it", async () => {
    const { parent } = failing([talking], { hooks: { shouldStop: () => "enough" } });
    const details: unknown[] = [];
    const made = nested([talking], outer, {
      of: { hooks: { shouldStop: () => "enough" } },
      by: { onToolResult: (result) => void details.push(result.details) },
    });
    expect(textsOf(await parent.run("go").outcome)).toEqual(["I think it is Rome."]);
    expect((await made.parent.run("go").outcome).status).toBe("answered");
    expect(details).toMatchObject([{ run: { status: "stopped", reason: "enough", calls: 1, turns: 1 } }]);
  });

  test("what a failed run has taken is told in the details of its result", async () => {
    const details: unknown[] = [];
    const { parent } = nested(() => ({ ...talking, usage }), outer, {
      of: { maxToolIterations: 1 },
      by: { onToolResult: (result) => void details.push(result.details) },
    });
    await parent.run("go").outcome;
    expect(details).toMatchObject([
      { run: { status: "failed", turns: 2, spent: { calls: 1, tokens: 200 } } },
    ]);
  });
});

/** A tool that holds a run until it is cancelled. */
function waiting() {
  const heard: string[] = [];
  let started = () => {};
  const begun = new Promise<void>((resolve) => {
    started = resolve;
  });
  const wait = tool({
    name: "note",
    description: "Wait",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    execute: (_, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          heard.push(String((signal.reason as Error).name));
          resolve("late");
        });
        started();
      }),
  });
  return { wait, heard, begun };
}

describe("abort", () => {
  const inner: readonly ScriptedReply[] = [{ text: "looking", calls: [noting("a")] }, "never"];
  const outer = [{ calls: [research("find")] }, "done"];

  test("of the run around it reaches the tools of the run within", async () => {
    const { wait, heard, begun } = waiting();
    const ends: unknown[] = [];
    const events = (event: LoopEvent) => void (event.type === "run.end" && ends.push(event.outcome.status));
    const { parent } = nested(inner, outer, { of: { tools: [wait], events } });
    const run = parent.run("go");
    await begun;
    run.abort("enough");
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: "aborted", error: { code: "CANCELLED_SIGNAL" } });
    expect(textsOf(outcome)[0]).toMatch(/TOOL_CANCELLED/);
    await expect.poll(() => ends).toEqual(["aborted"]);
    expect(heard).toEqual(["AbortError"]);
  });

  test("its time budget is the deadline of the run within", async () => {
    const { wait, heard, begun } = waiting();
    const clock = new FakeClock();
    const by = { budgets: { time: "30s" }, clock } as const;
    const run = nested(inner, outer, { of: { tools: [wait] }, by }).parent.run("go");
    await begun;
    await clock.advance(30_000);
    const outcome = await run.outcome;
    expect(outcome).toMatchObject({ status: "aborted", error: { code: "CANCELLED_TIMEOUT" } });
    await expect.poll(() => heard).toHaveLength(1);
  });

  test("of the loop within cancels the call, and the run around it goes on with the last words", async () => {
    const { wait, begun } = waiting();
    const { parent, child } = nested(inner, outer, { of: { tools: [wait] } });
    const run = parent.run("go");
    await begun;
    child.abort("not now");
    const outcome = await run.outcome;
    expect(outcome.status).toBe("answered");
    expect(textsOf(outcome)[0]).toBe("Error (TOOL_CANCELLED): not now\nThe last it said: looking");
  });
});

test("runs within runs come to an end", async () => {
  const registry: ReturnType<typeof nested>["made"][] = [];
  const asked: Script = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? `then: ${JSON.stringify(messages.at(-1))}`
      : { calls: [research("on")] };
  const source = {
    version: 1,
    tools: () => registry,
    get: (name: string) => registry.find((t) => t.name === name),
  };
  const loop = new AgentLoop({ engine: scriptedEngine(asked), tools: source });
  registry.push(loop.asTool({ name: "research", description: "Again", input, maxDepth: 2 }));
  const { text } = await loop.run("go").outcome;
  expect(text).toContain("starts runs up to 2 deep");
  expect(text.split("then:")).toHaveLength(4);
});

test("a run within shares the slots and locks of the call that started it", async () => {
  const registry = new Registry();
  const executor = new Executor({ tools: registry, concurrency: 1 });
  const locked = tool({
    name: "write",
    description: "Write",
    input: { type: "object" },
    locks: () => ["file:x"],
    execute: () => "written",
  });
  registry.add(locked);
  const inner = [{ calls: [{ name: "write" }] }, "done within"];
  const loop = (script: Script) =>
    new AgentLoop({ engine: scriptedEngine(script), tools: registry, executor });
  const options = { description: "Write", input, locks: () => ["file:x"], timeout: "20s" } as const;
  registry.add(loop(inner).asTool({ ...options, name: "research" }));
  registry.add(loop([{ calls: [research("in")] }, "done"]).asTool({ ...options, name: "manage" }));
  const manage = { calls: [{ name: "manage", arguments: { task: "go" } }] };
  const outcome = await loop([manage, "all done"]).run("go").outcome;
  expect(outcome.text).toBe("all done");
  expect(textsOf(outcome)).toEqual(["done"]);
});
