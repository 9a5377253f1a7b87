import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CallEvent } from "../../call/events.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

type Spec = Partial<ToolSpec<unknown, unknown>>;

function setUp(spec: Spec, options: ExecutorOptions = {}) {
  const clock = new FakeClock();
  const events: CallEvent[] = [];
  const base: ToolSpec<unknown, unknown> = {
    name: "work",
    description: "Works",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    execute: () => "done",
  };
  const executor = new Executor({
    tools: [tool({ ...base, ...spec })],
    clock,
    events: (event) => events.push(event),
    ...options,
  });
  return { clock, events, executor, types: () => events.map((event) => event.type) };
}

const call = { id: "c1", name: "work" };
const never = () => new Promise<never>(() => {});

/** Something to wait for that ends when the test says so. */
function door() {
  let open!: (value?: unknown) => void;
  let slam!: (error: unknown) => void;
  const promise = new Promise<unknown>((resolve, reject) => {
    open = resolve;
    slam = reject;
  });
  return { promise, open, slam };
}

test("a call that takes longer than its tool's limit is given up at that limit", async () => {
  const { clock, executor } = setUp({ timeout: "10s", execute: never });
  const pending = executor.call(call);
  await clock.advance(9_999);
  expect(executor.health().inFlight).toBe(1);
  await clock.advance(1);
  const { failure, durationMs } = await pending;
  expect(failure).toMatchObject({
    kind: "timeout",
    code: "TOOL_TIMEOUT",
    details: { limit: "absolute", timeoutMs: 10_000 },
  });
  expect(failure?.message).toBe("work took longer than 10s and was given up.");
  expect(durationMs).toBe(10_000);
});

test.each([
  ["external", false, false],
  ["external", true, true],
  ["read", false, true],
] as const)(
  "given up, a tool (%s, idempotent: %s) may be tried again as it is: %s",
  async (sideEffects, idempotent, retryable) => {
    const { clock, executor } = setUp({
      timeout: "10s",
      execute: never,
      safety: { sideEffects, idempotent },
      retry: { attempts: 1 },
    });
    const pending = executor.call(call);
    await clock.advance(10_000);
    expect((await pending).failure).toMatchObject({ code: "TOOL_TIMEOUT", retryable });
  },
);

test("the executor's limit counts for tools without one, and a caller can only shorten it", async () => {
  const { clock, executor } = setUp({ execute: never }, { timeout: "5s" });
  const patient = executor.call(call, { timeout: "1m" });
  const hasty = executor.call(call, { timeout: "1s" });
  await clock.advance(1_000);
  expect((await hasty).failure?.details).toMatchObject({ timeoutMs: 1_000 });
  await clock.advance(4_000);
  expect((await patient).failure?.details).toMatchObject({ timeoutMs: 5_000 });
});

test("a timed out write says that it may have happened", async () => {
  const { clock, executor } = setUp({ timeout: 100, safety: { sideEffects: "write" }, execute: never });
  const pending = executor.call(call);
  await clock.advance(100);
  expect((await pending).failure?.message).toContain("may have happened");
});

test("the tool is told through its signal, also when it asks for the signal only afterwards", async () => {
  const seen: string[] = [];
  const { clock, executor } = setUp({
    timeout: 100,
    async execute(_args, context) {
      await new Promise((resolve) => clock.set(() => resolve(undefined), 200));
      seen.push(String(context.signal.reason?.name));
    },
  });
  const pending = executor.call(call);
  await clock.advance(300);
  expect((await pending).failure?.code).toBe("TOOL_TIMEOUT");
  expect(seen).toEqual(["TimeoutError"]);
});

describe("silence", () => {
  test("a tool that reports nothing for its idle limit is given up", async () => {
    const { clock, executor } = setUp({ idleTimeout: "1s", execute: never });
    const pending = executor.call(call);
    await clock.advance(1_000);
    expect((await pending).failure).toMatchObject({
      code: "TOOL_TIMEOUT",
      details: { limit: "idle", timeoutMs: 1_000 },
    });
  });

  test("each report starts the idle limit anew, up to the absolute one", async () => {
    const { clock, executor } = setUp({
      timeout: "5s",
      idleTimeout: "1s",
      async execute(_args, { update }) {
        for (;;) {
          await new Promise((resolve) => clock.set(() => resolve(undefined), 900));
          update("still here");
        }
      },
    });
    const pending = executor.call(call);
    await clock.advance(4_900);
    expect(executor.health().inFlight).toBe(1);
    await clock.advance(100);
    expect((await pending).failure?.details).toMatchObject({ limit: "absolute" });
  });
});

describe("late results", () => {
  test("what a tool returns after its deadline is reported as late and goes nowhere else", async () => {
    const { promise, open } = door();
    const { clock, executor, events, types } = setUp({ timeout: 100, execute: () => promise });
    const pending = executor.call(call);
    await clock.advance(100);
    const result = await pending;
    open("too late");
    await clock.advance(50);
    expect(result.isError).toBe(true);
    expect(types()).toEqual(["call.start", "call.attempt", "call.end", "call.late"]);
    expect(events.at(-1)).toMatchObject({
      type: "call.late",
      isError: false,
      value: "too late",
      executionId: result.executionId,
    });
    expect(executor.health()).toMatchObject({ late: 1, succeeded: 0, failed: 1 });
  });

  test("so is what it throws", async () => {
    const { promise, slam } = door();
    const { clock, executor, events } = setUp({ timeout: 100, execute: () => promise });
    const pending = executor.call(call);
    await clock.advance(100);
    await pending;
    slam("broke");
    await clock.advance(0);
    expect(events.at(-1)).toMatchObject({ type: "call.late", isError: true, message: "broke" });
  });

  test("progress after the end is ignored", async () => {
    let report: (() => void) | undefined;
    const { executor, types } = setUp({
      execute(_args, { update, effect, log }) {
        report = () => {
          update("more");
          log.info("more");
          effect({ type: "custom", name: "more" });
        };
        return "done";
      },
    });
    const result = await executor.call(call);
    report?.();
    expect(types()).toEqual(["call.start", "call.attempt", "call.end"]);
    expect(result.effects).toBeUndefined();
  });
});

describe("generators", () => {
  test("what is yielded is progress, what is returned is the result", async () => {
    const { executor, events } = setUp({
      async *execute() {
        yield "half";
        yield { step: 2 };
        yield { content: "most", progress: 0.9 };
        yield { content: "most", of: "it" };
        yield {};
        return "whole";
      },
    });
    expect((await executor.call(call)).value).toBe("whole");
    const updates = events.flatMap((event) => (event.type === "call.update" ? [event.update] : []));
    expect(updates).toEqual([
      { content: "half" },
      { details: { step: 2 } },
      { content: "most", progress: 0.9 },
      { details: { content: "most", of: "it" } },
      { details: {} },
    ]);
  });

  test("a generator that is given up runs its finally", async () => {
    const { promise, open } = door();
    let cleaned = false;
    const { clock, executor } = setUp({
      timeout: 100,
      async *execute() {
        try {
          await promise;
          yield "on";
        } finally {
          cleaned = true;
        }
      },
    });
    const pending = executor.call(call);
    await clock.advance(100);
    await pending;
    open();
    await clock.advance(0);
    expect(cleaned).toBe(true);
  });
});

describe("cancellation", () => {
  test("before: the tool does not run", async () => {
    let ran = false;
    const { executor } = setUp({ execute: () => (ran = true) });
    const result = await executor.call(call, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ attempts: 0, failure: { kind: "cancelled", code: "TOOL_CANCELLED" } });
    expect(ran).toBe(false);
  });

  test("during: the call ends at once, whether the tool listens or not, and the tool is told", async () => {
    const cancelling = new AbortController();
    let told: unknown;
    const { executor } = setUp({
      execute(_args, { signal }) {
        signal.addEventListener("abort", () => (told = signal.reason?.name));
        return never();
      },
    });
    const pending = executor.call(call, { signal: cancelling.signal });
    cancelling.abort();
    expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
    expect(told).toBe("AbortError");
  });

  test("by the tool itself, before it first waits", async () => {
    const cancelling = new AbortController();
    const { executor } = setUp({
      execute() {
        cancelling.abort();
        return never();
      },
    });
    expect((await executor.call(call, { signal: cancelling.signal })).failure?.code).toBe("TOOL_CANCELLED");
  });

  test("leaves no listener and no timer behind when the call ends by itself", async () => {
    const { signal } = new AbortController();
    const listeners: string[] = [];
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.push("added");
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.pop();
      remove(...args);
    };
    const { clock, executor } = setUp({ execute: async () => "done" });
    await executor.call(call, { signal });
    await clock.advance(0);
    expect(listeners).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

test("an output schema that is checked asynchronously is under the same deadline", async () => {
  const { clock, executor } = setUp({
    timeout: 100,
    output: z.string().refine(never),
    execute: () => "text",
  });
  const pending = executor.call(call);
  await clock.advance(100);
  expect((await pending).failure?.code).toBe("TOOL_TIMEOUT");
});

describe("code that blocks the thread past its limit", () => {
  type Blocks = (block: (ms: number) => void) => Exclude<Spec["execute"], "external">;
  const shapes: Record<string, Blocks> = {
    "a synchronous tool": (block) => () => {
      block(2_000);
      return "paid";
    },
    "a synchronous tool that throws": (block) => () => {
      block(2_000);
      throw new Error("declined");
    },
    "an async tool": (block) => async () => {
      block(2_000);
      return "paid";
    },
    "an async tool that blocks after a wait": (block) => async () => {
      await Promise.resolve();
      block(2_000);
      return "paid";
    },
    "an async tool that throws": (block) => async () => {
      block(2_000);
      throw new Error("declined");
    },
    "an async generator": (block) =>
      async function* () {
        yield "begun";
        block(2_000);
        return "paid";
      },
    "a generator": (block) =>
      function* () {
        yield "begun";
        block(2_000);
        return "paid";
      },
  };
  const limits: Record<string, { spec: Spec; options?: { timeout: number }; limit: string }> = {
    "its absolute limit": { spec: { timeout: "1s" }, limit: "absolute" },
    "its idle limit": { spec: { timeout: "10s", idleTimeout: "1s" }, limit: "idle" },
    "the limit of the call": { spec: { timeout: "10s" }, options: { timeout: 1_000 }, limit: "absolute" },
  };
  const cases = Object.keys(shapes).flatMap((shape) => Object.keys(limits).map((limit) => [shape, limit]));

  test.each(cases)("%s is given up at %s, and its value is late", async (shape, limitName) => {
    const { spec, options, limit } = limits[limitName as string] ?? { spec: {}, limit: "" };
    let block = (_: number) => {};
    const { clock, executor, events } = setUp({
      ...spec,
      execute: (args, context) => shapes[shape as string]?.(block)?.(args, context),
    });
    block = (ms) => clock.block(ms);
    const { isError, failure } = await executor.call(call, options);
    expect(isError).toBe(true);
    expect(failure).toMatchObject({ code: "TOOL_TIMEOUT", details: { limit } });
    const late = events.filter(({ type }) => type === "call.late");
    expect(late).toMatchObject([shape?.includes("throws") ? { message: "declined" } : { value: "paid" }]);
    expect(late).toMatchObject([{ afterMs: 1_000 }]);
  });

  test("a generator that is silent for too long between two reports is given up at the second", async () => {
    const seen: string[] = [];
    let block = () => {};
    const { clock, executor } = setUp({
      timeout: "1h",
      idleTimeout: "1s",
      async *execute() {
        yield "one";
        block();
        seen.push("blocked");
        yield "two";
        seen.push("went on");
        return "done";
      },
    });
    block = () => clock.block(1_001);
    const { failure } = await executor.call(call);
    expect(failure).toMatchObject({ code: "TOOL_TIMEOUT", details: { limit: "idle" } });
    expect(seen).toEqual(["blocked"]);
  });

  test("a synchronous tool that reports often enough stays within its idle limit", async () => {
    let block = () => {};
    const { clock, executor } = setUp({
      idleTimeout: "1s",
      execute(_args, { update }) {
        for (let step = 0; step < 5; step++) {
          block();
          update("working");
        }
        return "done";
      },
    });
    block = () => clock.block(900);
    expect(await executor.call(call)).toMatchObject({ isError: false });
  });

  test.each(["at once", "after a wait"])(
    "makes no call and asks nothing any more, blocked %s",
    async (when) => {
      const paid: unknown[] = [];
      const pay = tool({
        name: "pay",
        description: "Pays",
        input: { type: "object" },
        execute: (args) => paid.push(args),
      });
      let block = () => {};
      const asked: unknown[] = [];
      const work = tool({
        name: "work",
        description: "Works",
        input: { type: "object" },
        timeout: "1s",
        async execute(_args, { call, ask }) {
          if (when !== "at once") await undefined;
          block();
          const answer = await call("pay", {});
          const question = ask({ message: "Again?" });
          asked.push(answer.failure?.code, await question.catch(() => "refused"));
        },
      });
      const { clock, executor } = setUp({}, { tools: [work, pay] });
      block = () => clock.block(2_000);
      expect((await executor.call(call)).failure?.code).toBe("TOOL_TIMEOUT");
      await expect.poll(() => asked).toEqual(["TOOL_CANCELLED", "refused"]);
      expect(paid).toEqual([]);
    },
  );
});
