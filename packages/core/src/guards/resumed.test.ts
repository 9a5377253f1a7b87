import { describe, expect, test } from "vitest";
import {
  ApprovalQueue,
  breakerGuard,
  budgetGuard,
  Executor,
  type Guard,
  repeatGuard,
  tool,
  transient,
} from "../index.ts";

const input = { type: "object" } as const;
const ann = { id: "ann" };

/** A tool that is asked about before it runs, or that asks itself, under guards that count. */
function setUp(guards: readonly Guard[], asks: "approval" | "question" = "approval") {
  const ran: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input,
    approval: asks === "approval",
    safety: { sideEffects: "external", idempotent: asks === "question" },
    async execute(args, { ask }) {
      if (asks === "question") await ask({ message: "Really?" });
      ran.push(args);
      return "paid";
    },
  });
  const queue = new ApprovalQueue();
  const executor = new Executor({ tools: [pay], guards, approve: queue.approver });
  const call = (executionId: string, onWaiting: "return" | "leave" | "hold", args = {}) =>
    executor.call({ id: "c", name: "pay", arguments: args }, { runId: "r", executionId, onWaiting });
  const answer = async (executionId: string) => {
    if (asks === "approval") await queue.approve(executionId, { by: ann });
    else await executor.waits.answer(executionId, { by: ann, value: "yes" });
  };
  return { ran, executor, queue, call, answer };
}

const COUNTING: [name: string, guard: () => Guard][] = [
  ["a budget of calls of a tool", () => budgetGuard({ callsPerTool: { pay: 1 } })],
  ["a budget of calls", () => budgetGuard({ callsPerRun: 1 })],
  ["a budget of units", () => budgetGuard({ cost: { perRun: 1, units: { pay: 1 } } })],
  ["a window", () => budgetGuard({ window: { calls: 1, per: "1h" } })],
];

describe.each(["approval", "question"] as const)("a call that waited: %s", (asks) => {
  test.each(COUNTING)("runs under %s of one, however often it is looked at", async (_, guard) => {
    const { ran, call, answer } = setUp([guard()], asks);
    for (let looks = 0; looks < 3; looks++) expect((await call("exec_1", "return")).waiting?.kind).toBe(asks);
    await answer("exec_1");
    expect((await call("exec_1", "return")).value).toBe("paid");
    expect(ran).toHaveLength(1);
    // It was counted once: a second call is beyond the budget.
    expect((await call("exec_2", "return", { n: 2 })).failure?.code).toBe("TOOL_BUDGET_EXCEEDED");
  });
});

test("a call that was left with a question runs by itself under a budget of one", async () => {
  const { ran, call, answer, executor } = setUp([budgetGuard({ callsPerRun: 1 })], "question");
  executor.waits.start();
  expect((await call("exec_1", "leave")).waiting?.kind).toBe("question");
  await answer("exec_1");
  await expect.poll(() => ran.length).toBe(1);
  await executor.stop();
});

test("guards are told that a call is resumed, and that one made anew is not", async () => {
  const told: unknown[] = [];
  const watch: Guard = { name: "watch", before: ({ resumed }) => void told.push(resumed) };
  const { call, answer } = setUp([watch]);
  await call("exec_1", "return");
  await answer("exec_1");
  await call("exec_1", "return");
  await call("exec_2", "return", { n: 2 });
  expect(told).toEqual([false, true, false]);
});

test("a call that is looked at while it waits does not repeat itself", async () => {
  const { ran, call, answer } = setUp([repeatGuard({ refuse: 2, advise: 2 })]);
  for (let looks = 0; looks < 4; looks++)
    expect((await call("exec_1", "return")).waiting?.kind).toBe("approval");
  await answer("exec_1");
  expect((await call("exec_1", "return")).value).toBe("paid");
  expect(ran).toHaveLength(1);
});

test("a call that tries whether a tool works again may wait for an approval", async () => {
  let isDown = true;
  const clock = { now: 0 };
  const flaky = tool({
    name: "flaky",
    description: "Flaky",
    input,
    approval: () => !isDown,
    execute: () => (isDown ? transient("down") : "up"),
  });
  const queue = new ApprovalQueue();
  const guards = [breakerGuard({ failures: 1, cooldown: "10s", now: () => clock.now })];
  const executor = new Executor({ tools: [flaky], guards, approve: queue.approver });
  const call = (executionId: string) =>
    executor.call({ id: "c", name: "flaky" }, { executionId, onWaiting: "return" });
  expect((await call("exec_1")).failure?.code).toBe("TOOL_TRANSIENT");
  isDown = false;
  clock.now = 10_000;
  expect((await call("exec_2")).waiting?.kind).toBe("approval");
  await queue.approve("exec_2", { by: ann });
  expect((await call("exec_2")).value).toBe("up");
});

test("a tool that asks takes one place of its rate", async () => {
  const ran: string[] = [];
  const slow = tool({
    name: "slow",
    description: "Slow",
    input,
    rate: { limit: 1, per: "1h", wait: 0 },
    safety: { sideEffects: "external", idempotent: true },
    async execute(_, { ask }) {
      await ask({ message: "Really?" });
      return `ran ${ran.push("slow")}`;
    },
  });
  const executor = new Executor({ tools: [slow] });
  const call = () => executor.call({ id: "c", name: "slow" }, { executionId: "exec_1", onWaiting: "return" });
  expect((await call()).waiting?.kind).toBe("question");
  await executor.waits.answer("exec_1", { by: ann, value: "yes" });
  expect((await call()).value).toBe("ran 1");
});
