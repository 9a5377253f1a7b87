import { describe, expect, test } from "vitest";
import type { Hooks } from "../guards/hooks.ts";
import { tool } from "../tool/define-tool.ts";
import type { ToolSpec } from "../tool/tool.ts";
import { Executor } from "./executor.ts";

function named(name: string, spec: Partial<ToolSpec<unknown, unknown>> = {}) {
  return tool({
    name,
    description: name,
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => name,
    ...spec,
  } as ToolSpec<unknown, unknown>);
}

describe("options", () => {
  test.each<[string, object]>([
    ["mode", { mode: "serial" }],
    ["onUnavailable", { onUnavailable: "ignore" }],
    ["onUnrecorded", { onUnrecorded: "maybe" }],
    ["concurrency", { concurrency: 0 }],
    ["maxContent", { maxContent: 10 }],
    ["timeout", { timeout: 0 }],
    ["timeout", { timeout: "30d" }],
    ["timeout", { timeout: "soon" }],
    ["guards[0].name", { guards: [{}] }],
  ])("%s is checked: %o", (field, options) => {
    expect(() => new Executor(options as never)).toThrow(
      new RegExp(`^${field.replace(/[[\]]/g, "\\$&")} must be`),
    );
  });
});

test("misuse is thrown at the programmer, before anything runs", () => {
  const executor = new Executor({ tools: [] });
  const signal = new AbortController() as never;
  expect(() => executor.call({ id: "c", name: "x" }, { signal })).toThrow(/signal must be an AbortSignal/);
  expect(() => executor.batch([], { signal })).toThrow(/signal must be an AbortSignal/);
  expect(() => executor.batch([], { signals: [undefined, signal] })).toThrow(/signals\[1\] must be an/);
  expect(() => executor.batch({} as never)).toThrow(/calls must be a list of calls; got an object/);
});

describe("a call that lacks something", () => {
  const executor = new Executor({ tools: [named("echo")] });
  const anything = (call: unknown) => executor.call(call as never);

  test("without an id gets one", async () => {
    expect(await anything({ name: "echo" })).toMatchObject({
      isError: false,
      callId: expect.stringMatching(/^call_/),
    });
    expect((await anything({ id: 7, name: "echo" })).callId).toBe("7");
  });

  test.each([
    [null],
    [undefined],
    ["echo"],
    [{}],
    [{ id: "c", name: null }],
    [{ id: "c", name: Object.create(null) }],
  ])("%o is answered as an unknown tool", async (call) => {
    expect((await anything(call)).failure?.code).toBe("TOOL_NOT_FOUND");
  });

  test("in a batch it does not disturb the others", async () => {
    const results = await executor.batch([
      { id: "a", name: "echo" },
      null as never,
      { id: "b", name: "echo" },
    ]);
    expect(results.map((result) => result.isError)).toEqual([false, true, false]);
  });
});

describe("a batch", () => {
  const sleepy = (
    name: string,
    turns: number,
    spec: Partial<ToolSpec<unknown, unknown>> = {},
    log: string[] = [],
  ) =>
    named(name, {
      async execute() {
        log.push(`+${name}`);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        log.push(`-${name}`);
        return name;
      },
      ...spec,
    });
  const calls = ["slow", "fast", "nobody"].map((name) => ({ id: name, name }));

  test("runs together and answers in source order", async () => {
    const log: string[] = [];
    const executor = new Executor({ tools: [sleepy("slow", 20, {}, log), sleepy("fast", 1, {}, log)] });
    const results = await executor.batch(calls);
    expect(results.map((result) => result.callId)).toEqual(["slow", "fast", "nobody"]);
    expect(log).toEqual(["+slow", "+fast", "-fast", "-slow"]);
  });

  test.each([
    ["the executor's mode", { mode: "sequential" as const }, {}, {}],
    ["the caller's mode", {}, { mode: "sequential" as const }, {}],
    ["one sequential tool", {}, {}, { mode: "sequential" as const }],
  ])("runs one by one because of %s", async (_name, options, batchOptions, spec) => {
    const log: string[] = [];
    const executor = new Executor({
      tools: [sleepy("slow", 5, {}, log), sleepy("fast", 1, spec, log)],
      ...options,
    });
    await executor.batch(calls, batchOptions);
    expect(log).toEqual(["+slow", "-slow", "+fast", "-fast"]);
  });

  test("a sequential tool that is refused does not make the others wait", async () => {
    const log: string[] = [];
    const closed = sleepy("nobody", 1, { mode: "sequential", available: () => false }, log);
    await new Executor({ tools: [sleepy("slow", 5, {}, log), sleepy("fast", 1, {}, log), closed] }).batch(
      calls,
    );
    expect(log).toEqual(["+slow", "+fast", "-fast", "-slow"]);
  });

  test("asks all before-hooks before anything runs, and all after-hooks when everything has", async () => {
    const log: string[] = [];
    const hooks: Hooks = {
      beforeCall: ({ call, batch }) => void log.push(`?${call.id} ${batch.index}/${batch.size}`),
      afterCall: ({ call }) => void log.push(`!${call.id}`),
    };
    await new Executor({ tools: [sleepy("slow", 5, {}, log), sleepy("fast", 1, {}, log)], hooks }).batch(
      calls,
    );
    expect(log).toEqual(["?slow 0/3", "?fast 1/3", "+slow", "+fast", "-fast", "-slow", "!slow", "!fast"]);
  });

  test("continues executions by position", async () => {
    let runs = 0;
    const pay = named("pay", { safety: { sideEffects: "external" }, execute: () => ++runs });
    const executor = new Executor({ tools: [pay], mode: "sequential" });
    const two = [
      { id: "a", name: "pay" },
      { id: "b", name: "pay" },
    ];
    const executionIds = ["e1", undefined];
    await executor.batch(two, { executionIds });
    const again = await executor.batch(two, { executionIds });
    expect(again.map((result) => result.value)).toEqual([1, 3]);
    expect(again[0]?.executionId).toBe("e1");
  });

  test("of nothing is nothing", async () => {
    expect(await new Executor({ tools: [] }).batch([])).toEqual([]);
  });
});

test("a hook that never answers about a result does not hold a call that is cancelled", async () => {
  const hooks: Hooks = { afterCall: () => new Promise(() => {}) };
  const executor = new Executor({ tools: [named("echo")], hooks });
  const { failure, content } = await executor.call(
    { id: "c", name: "echo" },
    { signal: AbortSignal.timeout(5) },
  );
  expect(failure?.code).toBe("TOOL_CANCELLED");
  expect(JSON.stringify(content)).toContain("The tool has run.");
});

test("a hook has a moment for the result of a call that is cancelled", async () => {
  const hooks: Hooks = {
    afterCall: async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { content: "seen" };
    },
  };
  const executor = new Executor({ tools: [named("echo")], hooks });
  const { content } = await executor.call({ id: "c", name: "echo" }, { signal: AbortSignal.timeout(5) });
  expect(content).toEqual([{ type: "text", text: "seen" }]);
});

test("a hook that never answers does not hold a call that is cancelled, and what it says later is dropped", async () => {
  let answer: (() => void) | undefined;
  const types: string[] = [];
  const hooks: Hooks = {
    beforeCall: () =>
      new Promise((resolve) => {
        answer = () => resolve({ block: "late" });
      }),
  };
  const executor = new Executor({ tools: [named("echo")], hooks, events: (event) => types.push(event.type) });
  expect(
    (await executor.call({ id: "c", name: "echo" }, { signal: AbortSignal.timeout(5) })).failure?.code,
  ).toBe("TOOL_CANCELLED");
  answer?.();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(types).toEqual(["call.start", "call.end"]);
});

test("an execution id that is given to a whole batch is refused", () => {
  const act = tool({ name: "act", description: "Acts", input: { type: "object" }, execute: () => "done" });
  const executor = new Executor({ tools: [act] });
  const calls = [1, 2].map((n) => ({ id: `c${n}`, name: "act", arguments: { n } }));
  expect(() => executor.batch(calls, { executionId: "exec_1" } as never)).toThrow(
    'Unknown option "executionId" for a batch. Did you mean "executionIds"?',
  );
});
