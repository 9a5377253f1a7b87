import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CallEvent } from "../../call/events.ts";
import type { ToolResult } from "../../call/result.ts";
import type { ToolContext } from "../../tool/context.ts";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";

function setUp(execute: (args: { n?: number }, context: ToolContext) => unknown) {
  const events: CallEvent[] = [];
  const input = { type: "object", properties: { n: { type: "integer" } } } as const;
  const safety = { sideEffects: "read" } as const;
  const outer = tool({ name: "outer", description: "Calls", input, safety, execute });
  const inner = tool({
    name: "inner",
    description: "Is called",
    input,
    safety,
    execute: ({ n }, { executionId }) => ({ n, executionId }),
  });
  const executor = new Executor({ tools: [outer, inner], events: (event) => events.push(event) });
  return { executor, events };
}

const call = { id: "c1", name: "outer" };

test("a tool knows its call", async () => {
  let seen: Partial<ToolContext> = {};
  const { executor } = setUp((_args, context) => {
    const { executionId, callId, idempotencyKey, attempt, runId, requestId, stepName, principal } = context;
    seen = { executionId, callId, idempotencyKey, attempt, runId, requestId, stepName, principal };
  });
  const options = { runId: "r", requestId: "q", stepName: "s", principal: { id: "ada" } };
  const { executionId } = await executor.call(call, options);
  expect(seen).toEqual({ ...options, executionId, idempotencyKey: executionId, callId: "c1", attempt: 1 });
});

test("progress, logs and effects are reported in order, also by functions taken out of the context", async () => {
  const { executor, events } = setUp((_args, { update, effect, log }) => {
    update("half");
    log.warn("careful", { n: 1 });
    effect({ type: "custom", name: "changed" });
    throw new Error("then broke");
  });
  const { effects } = await executor.call(call);
  expect(events.map((event) => event.type)).toEqual([
    "call.start",
    "call.attempt",
    "call.update",
    "call.log",
    "call.error",
    "call.end",
  ]);
  expect(events[3]).toMatchObject({ level: "warn", message: "careful", data: { n: 1 } });
  expect(effects).toEqual([{ type: "custom", name: "changed" }]);
});

test("a listener on the signal that throws is reported and ends nothing", async () => {
  const heard: string[] = [];
  const { executor, events } = setUp((_args, { signal }) => {
    const removed = () => heard.push("removed");
    signal.addEventListener("abort", () => {
      throw new Error("bad clean-up");
    });
    signal.addEventListener("abort", { handleEvent: () => heard.push("object") });
    signal.addEventListener("abort", removed, { once: true });
    signal.removeEventListener("abort", removed);
    signal.onabort = () => heard.push("property");
    return new Promise(() => {});
  });
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", onUncaught);
  expect((await executor.call(call, { signal: AbortSignal.timeout(5) })).failure?.code).toBe(
    "TOOL_CANCELLED",
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("uncaughtException", onUncaught);
  expect(uncaught).toEqual([]);
  expect(heard).toEqual(["object", "property"]);
  expect(events.find((event) => event.type === "call.log")).toMatchObject({
    message: "a listener on the signal threw: bad clean-up",
  });
});

test("the signal works with what the platform does with signals", async () => {
  const { executor } = setUp(async (_args, { signal }) => {
    const both = AbortSignal.any([signal, new AbortController().signal]);
    await setTimeoutPromise(60_000, undefined, { signal: both }).catch(() => {});
  });
  await executor.call(call, { signal: AbortSignal.timeout(5) });
  await expect.poll(() => executor.health().late).toBe(1);
});

test("a tool calls another through the same pipeline, as a child of its call", async () => {
  const { executor, events } = setUp((_args, context) => context.call("inner", { n: "7" }));
  const { value, executionId } = await executor.call(call, { runId: "r1", principal: { id: "ada" } });
  const nested = value as ToolResult;
  expect(nested).toMatchObject({ value: { n: 7 }, decoded: { mode: "repaired" } });
  const children = events.filter((event) => event.name === "inner");
  expect(children[0]).toMatchObject({
    type: "call.start",
    parentId: executionId,
    runId: "r1",
    source: "tool",
    principal: { id: "ada" },
  });
  expect(new Set(children.map((event) => event.executionId))).toEqual(new Set([nested.executionId]));
  expect(nested.executionId).not.toBe(executionId);
});

test("recursion without end is ended with a result of its own", async () => {
  const { executor, events } = setUp(async (_args, context) => {
    const { failure, value } = await context.call("outer", {});
    return failure?.code ?? value;
  });
  expect((await executor.call(call)).value).toBe("TOOL_BUDGET_EXCEEDED");
  const ends = events.filter((event) => event.type === "call.end");
  expect(new Set(ends.map((event) => event.executionId)).size).toBe(ends.length);
  expect(ends).toHaveLength(18);
});

test("a call that is cancelled cancels the calls it made", async () => {
  const cancelling = new AbortController();
  const codes: unknown[] = [];
  const { executor } = setUp(async ({ n = 0 }, context) => {
    if (n === 1) return new Promise(() => {});
    codes.push((await context.call("outer", { n: 1 })).failure?.code);
    return undefined;
  });
  const pending = executor.call(call, { signal: cancelling.signal });
  await new Promise((resolve) => setTimeout(resolve, 5));
  cancelling.abort();
  expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
  await expect.poll(() => codes).toEqual(["TOOL_CANCELLED"]);
});

test("a call that is over makes no more calls", async () => {
  let later: (() => Promise<ToolResult>) | undefined;
  const { executor } = setUp((_args, context) => {
    later = () => context.call("inner", {});
    return "done";
  });
  await executor.call(call);
  expect((await later?.())?.failure?.code).toBe("TOOL_CANCELLED");
});
