import { type AnyTool, Executor, type Guard, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import type { Plan } from "./plan.ts";
import { PlanExecutor } from "./plan-executor.ts";

const input = { type: "object" } as const;

function setUp(guard: Guard) {
  const ran: string[] = [];
  const toolOf = (name: string): AnyTool =>
    tool({ name, description: name, input, execute: () => `${name} ${ran.push(name)}` });
  const tools = ["one", "two", "three"].map(toolOf);
  const executor = new Executor({ tools, guards: [guard] });
  return { ran, plans: new PlanExecutor({ tools, executor }) };
}

const step = (name: string, more: object = {}) => ({ name, kind: "tool", tool: name, ...more });

const stopsAt = (name: string): Guard => ({
  name: "stops",
  async before({ tool: { name: called } }) {
    if (called !== name) return undefined;
    // Steps beside it have begun meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { verdict: "stop", reason: "enough" };
  },
});

test("a guard's stop holds back the steps beside it that come after it, and the steps after those", async () => {
  const { ran, plans } = setUp(stopsAt("two"));
  const plan = {
    steps: [step("one"), step("two"), step("three"), step("last", { tool: "one", after: ["one"] })],
  };
  const outcome = await plans.run(plan as Plan).outcome;
  expect(ran).toEqual(["one"]);
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "TOOL_BLOCKED", message: "A guard stopped the plan: enough", step: "two" },
    steps: { one: { status: "completed" }, two: { status: "failed" }, three: { status: "failed" } },
  });
  expect(outcome.steps.last?.status).not.toBe("completed");
});

test("a stop after a step's tool ran ends the plan before the next step", async () => {
  const after: Guard = {
    name: "stops",
    after: ({ tool: { name } }) => (name === "one" ? { verdict: "stop", reason: "enough" } : undefined),
  };
  const { ran, plans } = setUp(after);
  const outcome = await plans.run({ steps: [step("one"), step("two", { after: ["one"] })] } as Plan).outcome;
  expect(ran).toEqual(["one"]);
  expect(outcome).toMatchObject({
    status: "failed",
    steps: {
      one: { status: "completed" },
      two: { status: "stopped", reason: "A guard stopped the plan: enough" },
    },
  });
});

test("a guard's stop holds back the items of a map that come after it", async () => {
  const asked: unknown[] = [];
  const guard: Guard = {
    name: "stops",
    async before({ args }) {
      asked.push(args);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return (args as { n: number }).n === 1 ? { verdict: "stop", reason: "enough" } : undefined;
    },
  };
  const { ran, plans } = setUp(guard);
  const action = { kind: "tool", tool: "one", input: { n: { $from: "item" } } };
  const plan = { steps: [{ name: "all", kind: "map", over: [0, 1, 2, 3], do: action }] };
  const outcome = await plans.run(plan as Plan).outcome;
  expect(ran).toEqual(["one"]);
  expect(asked).toEqual([{ n: 0 }, { n: 1 }]);
  expect(outcome).toMatchObject({ status: "failed", steps: { all: { status: "failed" } } });
});
