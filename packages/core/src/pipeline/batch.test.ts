import { expect, test } from "vitest";
import type { ToolCall } from "../call/call.ts";
import { CallBatch } from "../call/call-batch.ts";
import { budgetGuard } from "../guards/budget.ts";
import type { Guard, GuardInput } from "../guards/guard.ts";
import type { ToolContext } from "../tool/context.ts";
import { tool } from "../tool/define-tool.ts";
import type { AnyTool } from "../tool/tool.ts";
import { Executor } from "./executor.ts";

const input = { type: "object" } as const;
const external = { sideEffects: "external" } as const;

/** What ran, in the order in which it began and ended. */
function tracing() {
  const steps: string[] = [];
  const step = (name: string, mode: "parallel" | "sequential" = "parallel"): AnyTool =>
    tool({
      name,
      description: name,
      input,
      mode,
      safety: external,
      async execute() {
        steps.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        steps.push(`${name} ends`);
        return name;
      },
    });
  return { steps, step };
}

/** Stops the run at a tool, after a while, so that a call made at the same time could pass it. */
const stopsAt = (name: string): Guard => ({
  name: "stops",
  async before({ tool: { name: called } }) {
    if (called !== name) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { verdict: "stop", reason: "enough" };
  },
});

const call = (name: string): ToolCall => ({ id: `c_${name}`, name });

const parent = (execute: (context: ToolContext) => unknown): AnyTool =>
  tool({
    name: "parent",
    description: "Calls others",
    input,
    safety: external,
    execute: (_: unknown, context) => execute(context),
  });

for (const mode of ["parallel", "sequential"] as const) {
  test(`a stop holds back the calls after it in a ${mode} batch, and not those before it`, async () => {
    const { steps, step } = tracing();
    const executor = new Executor({
      tools: ["one", "two", "three"].map((name) => step(name)),
      guards: [stopsAt("two")],
    });
    const results = await executor.batch(["one", "two", "three"].map(call), { mode });
    expect(results.map(({ failure }) => failure?.code)).toEqual([undefined, "TOOL_BLOCKED", "TOOL_BLOCKED"]);
    expect(results[2]?.failure?.details).toEqual({ stoppedBy: "c_two" });
    expect(steps).toEqual(["one begins", "one ends"]);
  });
}

test("a stop of a call that a tool makes holds back its later calls and ends the run", async () => {
  const { steps, step } = tracing();
  const codes: unknown[] = [];
  const calls = parent(async (context) => {
    // Made at once: the guard of the first has not answered when the second is made.
    const made = await Promise.all([context.call("one", {}), context.call("two", {})]);
    made.push(await context.call("three", {}));
    codes.push(...made.map(({ failure }) => failure?.code));
    return "done";
  });
  const executor = new Executor({
    tools: [calls, ...["one", "two", "three"].map((name) => step(name))],
    guards: [stopsAt("one")],
  });
  const result = await executor.call(call("parent"));
  expect(codes).toEqual(["TOOL_BLOCKED", "TOOL_BLOCKED", "TOOL_BLOCKED"]);
  expect(steps).toEqual([]);
  expect(result).toMatchObject({ isError: false, stop: "enough" });
});

test("guards judge calls that a tool makes at once one at a time, in their order", async () => {
  const { step } = tracing();
  const judged: string[] = [];
  const slowFirst: Guard = {
    name: "slow",
    async before({ tool: { name } }) {
      if (name === "one") await new Promise((resolve) => setTimeout(resolve, 10));
      if (name !== "parent") judged.push(name);
      return undefined;
    },
  };
  const calls = parent((context) => Promise.all([context.call("one", {}), context.call("two", {})]));
  const executor = new Executor({ tools: [calls, step("one"), step("two")], guards: [slowFirst] });
  await executor.call(call("parent"));
  expect(judged).toEqual(["one", "two"]);
});

test("a sequential tool runs alone among the calls that a tool makes at once", async () => {
  const { steps, step } = tracing();
  const calls = parent((context) =>
    Promise.all(["one", "alone", "two"].map((name) => context.call(name, {}))),
  );
  const executor = new Executor({ tools: [calls, step("one"), step("alone", "sequential"), step("two")] });
  await executor.call(call("parent"));
  expect(steps).toEqual([
    ...["one begins", "one ends"],
    ...["alone begins", "alone ends"],
    ...["two begins", "two ends"],
  ]);
});

test("calls that join one batch one at a time are held back by a stop, counted in order, and answered when aborted", async () => {
  const { steps, step } = tracing();
  const names = ["one", "two", "three", "four"];
  const make = (guards: Guard[]) => new Executor({ tools: names.map((name) => step(name)), guards });
  const batch = new CallBatch();
  const stopped = make([stopsAt("two")]);
  const results = await Promise.all(names.map((name) => stopped.call(call(name), { batch })));
  expect(results.map(({ failure }) => failure?.code)).toEqual([
    undefined,
    "TOOL_BLOCKED",
    "TOOL_BLOCKED",
    "TOOL_BLOCKED",
  ]);
  expect(batch.stopped).toEqual({ callId: "c_two", name: "two", reason: "enough" });
  expect(batch.isIdle).toBe(true);
  expect(steps).toEqual(["one begins", "one ends"]);

  const counted = make([budgetGuard({ callsPerRun: 2 })]);
  const within = { batch: new CallBatch(), runId: "r" };
  const spent = await Promise.all(names.map((name) => counted.call(call(name), within)));
  expect(spent.map(({ isError }) => isError)).toEqual([false, false, true, true]);

  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const silent = make([{ name: "silent", before: () => answered.then(() => undefined) }]);
  const open = new CallBatch();
  const first = silent.call(call("one"), { batch: open });
  const second = silent.call(call("two"), { batch: open, signal: AbortSignal.abort() });
  expect((await second).failure?.code).toBe("TOOL_CANCELLED");
  answer();
  expect((await first).isError).toBe(false);
});

test("a batch that is no batch is refused by name", () => {
  const executor = new Executor({ tools: [] });
  expect(() => executor.call(call("one"), { batch: {} as CallBatch })).toThrow(/batch/);
});

test("calls that arrive one at a time are one turn while they are under way, where their batch says so", async () => {
  const turns: string[] = [];
  const ping = tool({ name: "ping", description: "Ping", input: { type: "object" }, execute: () => "pong" });
  const guards = [{ name: "seeing", before: ({ batch }: GuardInput) => void turns.push(batch.id) }];
  const executor = new Executor({ tools: [ping], guards });
  const turnsOf = async (batch: CallBatch) => {
    turns.length = 0;
    const call = (id: string) => executor.call({ id, name: "ping" }, { batch, runId: "r" });
    await Promise.all([call("c1"), call("c2")]);
    await call("c3");
    batch.nextTurn();
    await call("c4");
    return turns.map((turn) => turns.indexOf(turn));
  };
  expect(await turnsOf(new CallBatch("under way"))).toEqual([0, 0, 2, 3]);
  expect(await turnsOf(new CallBatch("batch"))).toEqual([0, 0, 0, 3]);
  expect(await turnsOf(new CallBatch())).toEqual([0, 1, 2, 3]);
});
