import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { tool } from "../tool/define-tool.ts";
import { Executor } from "./executor.ts";
import type { ExecutorOptions } from "./options.ts";

function setUp(options: ExecutorOptions = {}) {
  const clock = new FakeClock();
  const safety = { sideEffects: "read" } as const;
  const input = { type: "object", properties: { ms: { type: "number" } } } as const;
  const wait = tool({
    name: "wait",
    description: "Waits",
    input,
    safety,
    async execute({ ms = 100 }) {
      await new Promise((resolve) => clock.set(() => resolve(undefined), ms));
      return "waited";
    },
  });
  const outer = tool({
    name: "outer",
    description: "Waits, then calls",
    input,
    safety,
    async execute(args, { call }) {
      await new Promise((resolve) => clock.set(() => resolve(undefined), 50));
      return (await call("wait", args)).value;
    },
  });
  const executor = new Executor({ tools: [wait, outer], clock, ...options });
  const call = (name = "wait", args: object = {}) => executor.call({ id: "c", name, arguments: args });
  return { clock, executor, call };
}

test("a new executor takes calls and says so", () => {
  expect(setUp().executor.health()).toMatchObject({
    state: "running",
    healthy: true,
    calls: 0,
    inFlight: 0,
    queued: 0,
  });
});

describe("draining", () => {
  test("takes no more calls, waits for those under way, and takes calls again when started", async () => {
    const { clock, executor, call } = setUp();
    const pending = call();
    const drained = executor.drain("10s");
    expect(executor.health()).toMatchObject({ state: "draining", healthy: false, inFlight: 1 });
    expect((await call()).failure).toMatchObject({ kind: "unavailable", code: "TOOL_UNAVAILABLE" });
    await clock.advance(100);
    expect(await drained).toBe(true);
    expect((await pending).value).toBe("waited");
    executor.start();
    const again = call();
    await clock.advance(100);
    expect((await again).isError).toBe(false);
  });

  test("lets a call under way make the calls it needs", async () => {
    const { clock, executor, call } = setUp();
    const pending = call("outer");
    const drained = executor.drain("10s");
    await clock.advance(1_000);
    expect((await pending).value).toBe("waited");
    expect(await drained).toBe(true);
  });

  test("says when calls are still under way at its end, and leaves no timer", async () => {
    const { clock, executor, call } = setUp();
    void call("wait", { ms: 5_000 });
    const drained = executor.drain(1_000);
    await clock.advance(1_000);
    expect(await drained).toBe(false);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });

  test("for longer than a timer can hold waits, instead of ending at once", async () => {
    const { clock, executor, call } = setUp();
    const pending = call();
    const drained = executor.drain("365d");
    await clock.advance(100);
    await pending;
    expect(await drained).toBe(true);
  });
});

describe("stopping", () => {
  test("cancels what runs and what waits", async () => {
    const { clock, executor, call } = setUp({ concurrency: 1 });
    const all = [call(), call(), call("outer")];
    await clock.advance(1);
    expect(executor.health()).toMatchObject({ inFlight: 3, queued: 2 });
    expect(await executor.stop()).toBe(true);
    expect((await Promise.all(all)).map((result) => result.failure?.code)).toEqual([
      "TOOL_CANCELLED",
      "TOOL_CANCELLED",
      "TOOL_CANCELLED",
    ]);
    expect(executor.health()).toMatchObject({ state: "stopped", inFlight: 0, queued: 0 });
  });

  test("works again after starting anew, also on calls begun since", async () => {
    const { clock, executor, call } = setUp();
    await executor.stop();
    executor.start();
    const pending = call("wait", { ms: 60_000 });
    await clock.advance(1);
    executor.start();
    await executor.stop();
    expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
  });
});

test("counters tell what was done, failures by kind", async () => {
  const { clock, executor, call } = setUp();
  const first = call();
  await clock.advance(100);
  await first;
  await call("nobody");
  await call("wait", { ms: "soon" });
  expect(executor.health()).toMatchObject({
    calls: 3,
    succeeded: 1,
    failed: 2,
    failuresByKind: { not_found: 1, validation: 1 },
    inFlight: 0,
  });
});

test("a call after stop() is told that the executor is stopped", async () => {
  const executor = new Executor({ tools: [] });
  await executor.stop();
  expect((await executor.call({ id: "c", name: "any" })).failure).toMatchObject({
    code: "TOOL_UNAVAILABLE",
    message: "The executor is stopped.",
  });
});
