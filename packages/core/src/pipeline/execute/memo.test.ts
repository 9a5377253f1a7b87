import { describe, expect, test } from "vitest";
import { z } from "zod";
import { transient } from "../../failure/failure.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

/** A pure tool that reads `world` and a tool that changes it, each as slow as the test wants. */
function setUp(spec: Spec = {}) {
  const world = { value: 1, reads: 0 };
  const gates: (() => void)[] = [];
  const gate = () => new Promise<void>((resolve) => gates.push(resolve));
  const open = async () => {
    for (const each of gates.splice(0)) each();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  const read = tool({
    name: "read",
    description: "Reads",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    pure: true,
    async execute(args) {
      world.reads += 1;
      const seen = world.value;
      if ((args as { slow?: boolean }).slow === true) await gate();
      return seen;
    },
    ...spec,
  } as ToolSpec<unknown, unknown>);
  const write = tool({
    name: "write",
    description: "Writes",
    input: { type: "object", properties: { slow: { type: "boolean" }, fail: { type: "boolean" } } },
    safety: { sideEffects: "write" },
    async execute({ slow, fail }) {
      if (slow === true) await gate();
      world.value += 1;
      if (fail === true) throw new Error("half written");
    },
  });
  const executor = new Executor({ tools: [read, write] });
  const call = (name: string, args: object = {}, options = {}) =>
    executor.call({ id: name, name, arguments: args }, options);
  return { world, open, executor, call };
}

test("an answer is remembered: the tool runs once, the repeat is marked and counted", async () => {
  const { world, call, executor } = setUp();
  const first = await call("read", { a: 1, b: 2 });
  const second = await call("read", { b: 2, a: 1 });
  expect(first).toMatchObject({ value: 1, attempts: 1 });
  expect(first.cached).toBeUndefined();
  expect(second).toMatchObject({ value: 1, cached: true, attempts: 0 });
  expect(second.executionId).not.toBe(first.executionId);
  expect(world.reads).toBe(1);
  expect(executor.health().memoHits).toBe(1);
});

test("other arguments are another question", async () => {
  const { world, call } = setUp();
  await call("read", { a: 1 });
  expect((await call("read", { a: 2 })).cached).toBeUndefined();
  expect(world.reads).toBe(2);
});

test("calls at the same time share one run", async () => {
  const { world, call, open } = setUp();
  const all = Promise.all([
    call("read", { slow: true }),
    call("read", { slow: true }),
    call("read", { slow: true }),
  ]);
  await open();
  expect((await all).map((result) => result.cached ?? false)).toEqual([false, true, true]);
  expect(world.reads).toBe(1);
});

test("runs do not share answers, and a run can be forgotten", async () => {
  const { world, call, executor } = setUp();
  await call("read", {}, { runId: "r1" });
  await call("read", {}, { runId: "r2" });
  expect(world.reads).toBe(2);
  executor.forget("r1");
  await call("read", {}, { runId: "r1" });
  await call("read", {}, { runId: "r2" });
  expect(world.reads).toBe(3);
});

describe("a write", () => {
  test.each([
    ["that succeeds", {}],
    ["that fails", { fail: true }],
  ])("%s makes what was read stale", async (_name, args) => {
    const { call } = setUp();
    expect((await call("read")).value).toBe(1);
    await call("write", args);
    expect((await call("read")).value).toBe(2);
  });

  test("makes a read that is under way stale, too", async () => {
    const { call, open } = setUp();
    const early = call("read", { slow: true });
    await call("write");
    await open();
    expect((await early).value).toBe(1);
    const later = call("read", { slow: true });
    await open();
    expect((await later).value).toBe(2);
  });

  test("makes stale what was read while it was under way", async () => {
    const { call, open } = setUp();
    const writing = call("write", { slow: true });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect((await call("read")).value).toBe(1);
    await open();
    await writing;
    expect((await call("read")).value).toBe(2);
  });

  test("leaves alone what never depended on the world", async () => {
    const { call, world } = setUp({ safety: { sideEffects: "none" } });
    await call("read");
    await call("write");
    expect((await call("read")).cached).toBe(true);
    expect(world.reads).toBe(1);
  });
});

describe("a shared run that does not succeed", () => {
  test("because its own caller cancelled does not fail the others", async () => {
    const { call, open } = setUp();
    const cancelling = new AbortController();
    const leader = call("read", { slow: true }, { signal: cancelling.signal });
    const followers = [call("read", { slow: true }), call("read", { slow: true })];
    await new Promise((resolve) => setTimeout(resolve, 0));
    cancelling.abort();
    expect((await leader).failure?.code).toBe("TOOL_CANCELLED");
    await open();
    await open();
    expect((await Promise.all(followers)).map((result) => result.value)).toEqual([1, 1]);
  });

  test("for any other reason is the answer to all, and is not remembered", async () => {
    let runs = 0;
    const { call } = setUp({
      execute: async () => {
        runs += 1;
        await null;
        return runs === 1 ? transient("down") : "up";
      },
    });
    const results = await Promise.all([call("read"), call("read"), call("read")]);
    expect(results.map((result) => result.failure?.code)).toEqual([
      "TOOL_TRANSIENT",
      "TOOL_TRANSIENT",
      "TOOL_TRANSIENT",
    ]);
    expect((await call("read")).value).toBe("up");
    expect(runs).toBe(2);
  });

  test("a follower that is cancelled does not wait for the leader", async () => {
    const { call, open } = setUp();
    const cancelling = new AbortController();
    const leader = call("read", { slow: true });
    const follower = call("read", { slow: true }, { signal: cancelling.signal });
    await new Promise((resolve) => setTimeout(resolve, 0));
    cancelling.abort();
    expect((await follower).failure?.code).toBe("TOOL_CANCELLED");
    await open();
    expect((await leader).value).toBe(1);
  });
});

test("arguments that JSON cannot tell apart are not confused", async () => {
  const input = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) });
  const { call } = setUp({ input, execute: (args) => [...(args as { tags: Set<string> }).tags] });
  expect((await call("read", { tags: ["a"] })).value).toEqual(["a"]);
  expect((await call("read", { tags: ["b"] })).value).toEqual(["b"]);
  const loops = setUp({
    prepare() {
      const loop: Record<string, unknown> = {};
      loop.self = loop;
      return loop;
    },
  });
  expect((await loops.call("read")).value).toBe(1);
  const big = setUp({
    input: z.object({ n: z.string().transform(BigInt) }),
    execute: (args) => String((args as { n: bigint }).n),
  });
  expect((await big.call("read", { n: "12" })).value).toBe("12");
});

test("a tool that asks itself the same question does not wait for its own answer", async () => {
  const { call } = setUp({
    async execute(_args, context) {
      const { failure, value } = await context.call("read", {});
      return failure?.code ?? value;
    },
  });
  expect((await call("read")).value).toBe("TOOL_BUDGET_EXCEEDED");
});

test("a change to one result does not reach the next", async () => {
  const { call } = setUp();
  const first = await call("read");
  Object.assign(first, { details: "mine", value: 99 });
  expect(await call("read")).toMatchObject({ value: 1, cached: true });
  expect((await call("read")).details).toBeUndefined();
});
