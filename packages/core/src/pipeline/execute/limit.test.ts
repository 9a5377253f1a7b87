import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { tool } from "../../tool/define-tool.ts";
import type { AnyTool, Lock, ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

/** Tools that run until the clock has moved by their `ms`, and note when they begin and end. */
function setUp(options: ExecutorOptions = {}) {
  const clock = new FakeClock();
  const log: string[] = [];
  const work = (name: string, spec: Spec = {}): AnyTool =>
    tool({
      name,
      description: name,
      input: { type: "object" },
      safety: { sideEffects: "read" },
      async execute(args) {
        const { ms = 100, label = name } = args as { ms?: number; label?: string };
        log.push(`+${label}`);
        await new Promise((resolve) => clock.set(() => resolve(undefined), ms));
        log.push(`-${label}`);
      },
      ...spec,
    } as ToolSpec<unknown, unknown>);
  const run = (tools: AnyTool[]) => new Executor({ tools, clock, ...options });
  return { clock, log, work, run };
}

const call = (name: string, args: object = {}) => ({ id: name, name, arguments: args });

describe("slots", () => {
  test("at most as many calls of a tool run at once as it says, the others in order", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("a", { concurrency: 2 })]);
    const all = executor.batch([1, 2, 3].map((label) => call("a", { label, ms: label * 100 })));
    await clock.advance(1);
    expect(log).toEqual(["+1", "+2"]);
    expect(executor.health().queued).toBe(1);
    await clock.advance(1_000);
    await all;
    expect(log).toEqual(["+1", "+2", "-1", "+3", "-2", "-3"]);
    expect(executor.health().queued).toBe(0);
  });

  test("at most as many calls of all tools run at once as the executor says", async () => {
    const { clock, log, work, run } = setUp({ concurrency: 1 });
    const all = run([work("a"), work("b")]).batch([call("a"), call("b")]);
    await clock.advance(1_000);
    await all;
    expect(log).toEqual(["+a", "-a", "+b", "-b"]);
  });

  test("a call from inside a call does not wait for its own parent's slot", async () => {
    const { clock, work, run } = setUp({ concurrency: 1 });
    const again = work("again", {
      concurrency: 1,
      execute: async (args, { call: nested }) =>
        (args as { deep?: boolean }).deep === true ? "bottom" : (await nested("again", { deep: true })).value,
    });
    const pending = run([again]).call(call("again"));
    await clock.advance(10);
    expect((await pending).value).toBe("bottom");
  });

  test("a call that waits for a slot holds no lock that a call from inside the slot needs", async () => {
    const { clock, work, run } = setUp({ concurrency: 1 });
    const write = work("write", { safety: { sideEffects: "write" }, locks: () => ["file"] });
    const outer = work("outer", {
      async execute(_args, { call: nested }) {
        await new Promise((resolve) => clock.set(() => resolve(undefined), 10));
        return (await nested("write", {})).isError;
      },
    });
    const executor = run([write, outer]);
    const first = executor.call(call("outer"));
    const second = executor.call(call("write"));
    await clock.advance(5_000);
    expect((await first).value).toBe(false);
    expect((await second).isError).toBe(false);
  });

  test("a call cancelled while it waits gives up its place", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("a", { concurrency: 1 })]);
    const cancelling = new AbortController();
    const first = executor.call(call("a", { label: 1 }));
    const second = executor.call(call("a", { label: 2 }), { signal: cancelling.signal });
    const third = executor.call(call("a", { label: 3 }));
    await clock.advance(1);
    cancelling.abort();
    expect((await second).failure).toMatchObject({ code: "TOOL_CANCELLED" });
    await clock.advance(1_000);
    await Promise.all([first, third]);
    expect(log).toEqual(["+1", "-1", "+3", "-3"]);
  });

  test("time spent waiting is not charged to the deadline", async () => {
    const { clock, work, run } = setUp();
    const executor = run([work("a", { concurrency: 1, timeout: 150 })]);
    const all = executor.batch([call("a"), call("a"), call("a")]);
    await clock.advance(1_000);
    expect((await all).map((result) => result.isError)).toEqual([false, false, false]);
  });
});

describe("rate", () => {
  test("lets a burst through, then one as each token returns, in order", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("a", { rate: { limit: 2, per: "10s", wait: "1m" } })]);
    const all = executor.batch([1, 2, 3, 4].map((label) => call("a", { label, ms: 1 })));
    await clock.advance(10);
    expect(log).toEqual(["+1", "+2", "-1", "-2"]);
    await clock.advance(5_000);
    expect(log.slice(4)).toEqual(["+3", "-3"]);
    await clock.advance(5_000);
    await all;
    expect(log.slice(6)).toEqual(["+4", "-4"]);
  });

  test("refuses a call that would have to wait too long, and says how long", async () => {
    const { clock, work, run } = setUp();
    const executor = run([work("a", { rate: { limit: 1, per: "1m" }, execute: () => "ran" })]);
    await executor.call(call("a"));
    const { failure, attempts } = await executor.call(call("a"));
    expect(failure).toMatchObject({
      kind: "transient",
      code: "TOOL_RATE_LIMITED",
      details: { retryAfterMs: 60_000 },
    });
    expect(attempts).toBe(0);
    await clock.advance(60_000);
    expect((await executor.call(call("a"))).isError).toBe(false);
  });

  test("a cancelled wait gives its token back", async () => {
    const { clock, work, run } = setUp();
    const executor = run([work("a", { rate: { limit: 1, per: "10s", wait: "11s" }, execute: () => "ran" })]);
    const cancelling = new AbortController();
    await executor.call(call("a"));
    const waiting = executor.call(call("a"), { signal: cancelling.signal });
    await clock.advance(1);
    cancelling.abort();
    expect((await waiting).failure?.code).toBe("TOOL_CANCELLED");
    const next = executor.call(call("a"));
    await clock.advance(10_000);
    expect((await next).isError).toBe(false);
  });
});

describe("locks", () => {
  const locked = (mode: "read" | "write", keys: readonly string[] = ["file"]) => ({
    safety: { sideEffects: "write" as const },
    locks: (): Lock[] => keys.map((key) => ({ key, mode })),
  });

  test("reads share, a write is alone, and none overtakes another it conflicts with", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("read", locked("read")), work("write", locked("write"))]);
    const names = ["read", "read", "write", "read"];
    const all = executor.batch(names.map((name, index) => call(name, { label: `${name}${index}` })));
    await clock.advance(1_000);
    await all;
    expect(log).toEqual(["+read0", "+read1", "-read0", "-read1", "+write2", "-write2", "+read3", "-read3"]);
  });

  test("calls on other keys do not wait", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("a", locked("write", ["x"])), work("b", locked("write", ["y"]))]);
    const all = executor.batch([call("a"), call("b")]);
    await clock.advance(1);
    expect(log).toEqual(["+a", "+b"]);
    await clock.advance(1_000);
    await all;
  });

  test("keys are taken all at once, so opposite orders do not deadlock", async () => {
    const { clock, work, run } = setUp();
    const executor = run([work("ab", locked("write", ["a", "b"])), work("ba", locked("write", ["b", "a"]))]);
    const all = executor.batch(["ab", "ba", "ab", "ba"].map((name) => call(name)));
    await clock.advance(1_000);
    expect((await all).every((result) => !result.isError)).toBe(true);
  });

  test("a bare key is a write for a tool with side effects and a read for others", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([
      work("look", { locks: () => ["k"] }),
      work("change", { safety: { sideEffects: "write" }, locks: () => ["k"] }),
    ]);
    const all = executor.batch([
      call("look", { label: 1 }),
      call("look", { label: 2 }),
      call("change", { label: 3 }),
    ]);
    await clock.advance(1_000);
    await all;
    expect(log).toEqual(["+1", "+2", "-1", "-2", "+3", "-3"]);
  });

  test("a call from inside a call may take the lock its caller holds, before those who wait for it", async () => {
    const { clock, log, work, run } = setUp();
    const outer = work("outer", {
      ...locked("write"),
      async execute(_args, { call: nested }) {
        await new Promise((resolve) => clock.set(() => resolve(undefined), 10));
        return (await nested("inner", {})).isError;
      },
    });
    const executor = run([outer, work("inner", locked("write"))]);
    const first = executor.call(call("outer"));
    const outsider = executor.call(call("inner", { label: "outsider" }));
    await clock.advance(1_000);
    expect((await first).value).toBe(false);
    await outsider;
    expect(log).toEqual(["+inner", "-inner", "+outsider", "-outsider"]);
  });

  test("a cancelled wait lets those behind it through", async () => {
    const { clock, log, work, run } = setUp();
    const executor = run([work("read", locked("read")), work("write", locked("write"))]);
    const cancelling = new AbortController();
    const first = executor.call(call("read", { label: "r1", ms: 500 }));
    const second = executor.call(call("write"), { signal: cancelling.signal });
    const third = executor.call(call("read", { label: "r2" }));
    await clock.advance(1);
    expect(log).toEqual(["+r1"]);
    cancelling.abort();
    await clock.advance(1);
    expect(log).toEqual(["+r1", "+r2"]);
    expect((await second).failure?.code).toBe("TOOL_CANCELLED");
    await clock.advance(1_000);
    await Promise.all([first, third]);
  });

  test("a lock with a mode that does not exist fails the call instead of counting as a read", async () => {
    const { work, run } = setUp();
    const executor = run([work("a", { locks: () => [{ key: "k", mode: "exclusive" as never }] })]);
    expect((await executor.call(call("a"))).failure?.message).toContain('mode "read" or "write"');
  });
});

test("two tools that call each other with one slot each do not wait for each other", async () => {
  const made = (name: string, other: string) =>
    tool({
      name,
      description: "Calls the other",
      input: { type: "object" },
      safety: { sideEffects: "none" },
      concurrency: 1,
      execute: async (_args, { call }) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return (await call(other, {})).failure?.code ?? "called";
      },
    });
  const executor = new Executor({ tools: [made("ping", "pong"), made("pong", "ping")], timeout: "1h" });
  const results = await executor.batch([
    { id: "a", name: "ping" },
    { id: "b", name: "pong" },
  ]);
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  expect(results.some(({ value }) => value === "TOOL_RATE_LIMITED")).toBe(true);
  expect(executor.health()).toMatchObject({ inFlight: 0, queued: 0 });
  expect((await executor.call({ id: "c", name: "ping" })).isError).toBe(false);
});
