import { expect, test } from "vitest";
import { Executor, repeatGuard, tool } from "../index.ts";
import { type Budgets, budgetGuard } from "./budget.ts";

const ping = tool({
  name: "ping",
  description: "Ping",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  execute: () => "pong",
});
const pong = tool({
  name: "pong",
  description: "Pong",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  execute: () => "ping",
});

function rig(budgets: Budgets, now?: () => number) {
  const executor = new Executor({
    tools: [ping, pong],
    guards: [budgetGuard(budgets, now === undefined ? {} : { now })],
  });
  return async (name: string, runId = "run") => {
    const result = await executor.call({ id: "c", name, arguments: {} }, { runId });
    return result.failure?.code ?? "ok";
  };
}

test("calls beyond the budget of a run are refused, and other runs are not charged", async () => {
  const call = rig({ callsPerRun: 2 });
  expect([await call("ping"), await call("pong"), await call("ping")]).toEqual([
    "ok",
    "ok",
    "TOOL_BUDGET_EXCEEDED",
  ]);
  expect(await call("ping", "another")).toBe("ok");
});

test("each tool can have a budget of its own", async () => {
  const call = rig({ callsPerTool: { ping: 1 } });
  expect([await call("ping"), await call("ping"), await call("pong"), await call("pong")]).toEqual([
    "ok",
    "TOOL_BUDGET_EXCEEDED",
    "ok",
    "ok",
  ]);
});

test("a batch that fans out too far is cut before anything of it runs", async () => {
  let ran = 0;
  const work = tool({ name: "work", description: "Work", input: { type: "object" }, execute: () => ran++ });
  const executor = new Executor({ tools: [work], guards: [budgetGuard({ callsPerTurn: 2 })] });
  const calls = Array.from({ length: 4 }, (_, index) => ({ id: `c${index}`, name: "work", arguments: {} }));
  const codes = (await executor.batch(calls)).map((result) => result.failure?.code);
  expect(codes).toEqual([undefined, undefined, "TOOL_BUDGET_EXCEEDED", "TOOL_BUDGET_EXCEEDED"]);
  expect(ran).toBe(2);
});

test.each<Budgets>([
  { callsPerTurn: 3 },
  { callsPerRun: 3 },
  { callsPerTool: 2 },
  { callsPerTool: { ping: 2 } },
])("calls that a tool makes count as those of its turn and run: %j", async (budgets) => {
  const fan = tool({
    name: "fan",
    description: "Fan out",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    async execute(_, { call }) {
      const made = await Promise.all(Array.from({ length: 9 }, () => call("ping", {})));
      return made.filter(({ isError }) => !isError).length;
    },
  });
  const executor = new Executor({ tools: [fan, ping], guards: [budgetGuard(budgets)] });
  const again = { id: "c", name: "fan", arguments: {} };
  expect((await executor.call(again, { runId: "r" })).value).toBe(2);
  expect((await executor.call(again)).value).toBe(2);
  expect((await executor.call(again)).value).toBe(2);
});

test("cost units run out before the call that cannot be paid", async () => {
  const call = rig({ cost: { perRun: 5, units: { ping: 3 } } });
  expect([await call("ping"), await call("ping"), await call("pong")]).toEqual([
    "ok",
    "TOOL_BUDGET_EXCEEDED",
    "ok",
  ]);
});

test("a window slides", async () => {
  let now = 0;
  const call = rig({ window: { calls: 1, per: "1s" } }, () => now);
  expect([await call("ping", "a"), await call("ping", "b")]).toEqual(["ok", "TOOL_BUDGET_EXCEEDED"]);
  now = 1_000;
  expect(await call("ping", "a")).toBe("ok");
});

test("a budget that is not a number is refused, naming the field", () => {
  expect(() => budgetGuard({ callsPerRun: Number.NaN })).toThrow(
    /callsPerRun must be a number of at least 0; got NaN/,
  );
});

test.each<[field: string, budgets: Budgets]>([
  ["cost.units.ping", { cost: { perRun: 5, units: { ping: -1 } } }],
  ["cost.units.ping", { cost: { perRun: 5, units: { ping: Number.NaN } } }],
  ["callsPerTool.ping", { callsPerTool: { ping: Number.NaN } }],
  ["callsPerTool", { callsPerTool: -1 }],
])("%s that could never be reached is refused", (field, budgets) => {
  expect(() => budgetGuard(budgets)).toThrow(`${field} must be a number of at least 0`);
});

test("calls without a run are each a run of their own", async () => {
  const executor = new Executor({ tools: [ping], guards: [budgetGuard({ callsPerRun: 1 })] });
  const call = async () => (await executor.call({ id: "c", name: "ping", arguments: {} })).isError;
  expect([await call(), await call()]).toEqual([false, false]);
});

test("a run under way keeps its account while many others come and go", async () => {
  const call = rig({ callsPerRun: 3 });
  await call("ping");
  for (let index = 0; index < 9_999; index++) await call("ping", `other ${index}`);
  await call("ping");
  for (let index = 0; index < 9_999; index++) await call("ping", `more ${index}`);
  expect([await call("ping"), await call("ping")]).toEqual(["ok", "TOOL_BUDGET_EXCEEDED"]);
});

test("answers from memory cost nothing, whatever the budget", async () => {
  const look = tool({
    name: "look",
    description: "Look",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    pure: true,
    execute: () => "seen",
  });
  const budgets: Budgets = {
    callsPerRun: 2,
    callsPerTool: 2,
    cost: { perRun: 2, units: { look: 1 } },
    window: { calls: 2, per: "1h" },
  };
  const executor = new Executor({ tools: [look], guards: [budgetGuard(budgets), repeatGuard()] });
  const call = async (args = {}) => {
    const { failure, cached } = await executor.call(
      { id: "c", name: "look", arguments: args },
      { runId: "r" },
    );
    return failure?.code ?? (cached === true ? "cached" : "ran");
  };
  const answers: string[] = [];
  for (let count = 0; count < 8; count++) answers.push(await call());
  expect(answers).toEqual(["ran", ...Array.from({ length: 7 }, () => "cached")]);
  expect([await call({ at: 1 }), await call({ at: 2 })]).toEqual(["ran", "TOOL_BUDGET_EXCEEDED"]);
});

test("a budget is what it was when the guard was made", async () => {
  const budgets = { callsPerTool: { ping: 0 } };
  const executor = new Executor({ tools: [ping], guards: [budgetGuard(budgets)] });
  budgets.callsPerTool.ping = 5;
  const { failure } = await executor.call({ id: "c", name: "ping" }, { runId: "r" });
  expect(failure?.code).toBe("TOOL_BUDGET_EXCEEDED");
});
