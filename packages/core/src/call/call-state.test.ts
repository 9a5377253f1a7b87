import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { diagram, drawnIn, PAGE } from "../../../../scripts/call-states.ts";
import { Executor, MemoryLedger, tool } from "../index.ts";
import { Execution } from "../pipeline/execution.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { servicesOf } from "../pipeline/services.ts";
import { settle } from "../pipeline/settle/settle.ts";
import {
  type CallState,
  type CallStateName,
  isDone,
  JOINED,
  nextState,
  OVER,
  PARKED,
  PREPARING,
  RUNNING,
  TRANSITIONS,
} from "./call-state.ts";

describe("the state of a call", () => {
  test("follows the table of transitions, and nothing else", () => {
    const names = Object.keys(TRANSITIONS) as CallStateName[];
    for (const from of names)
      for (const to of names) {
        const [before, after] = [{ at: from } as CallState, { at: to } as CallState];
        if (TRANSITIONS[from].includes(to)) expect(nextState(before, after)).toBe(after);
        else if (from !== "broken") expect(() => nextState(before, after)).toThrow(`"${from}" to "${to}"`);
      }
  });

  test("ends: what is done has no next state, and everything comes to an end", () => {
    const isLast = (at: CallStateName) => isDone({ at } as CallState) || at === "broken";
    for (const [from, all] of Object.entries(TRANSITIONS) as [CallStateName, CallStateName[]][]) {
      expect(all.length === 0).toBe(isLast(from));
      if (!isLast(from)) expect(all).toContain("over");
    }
  });

  test("is broken for good where an impossible transition does not throw", () => {
    const broken = nextState(OVER, RUNNING, false);
    expect(broken).toEqual({ at: "broken", from: "over", to: "running" });
    for (const next of [OVER, PARKED, PREPARING, RUNNING])
      expect(nextState(broken, next, false)).toBe(broken);
  });

  test("is drawn in the page on the architecture as the table has it", () => {
    expect(drawnIn(readFileSync(PAGE, "utf8"))).toBe(diagram());
  });
});

test("a call that took an impossible turn is in doubt, though its tool succeeded", async () => {
  const ledger = new MemoryLedger();
  const pay = tool({ name: "pay", description: "Pay", input: { type: "object" }, execute: () => "paid" });
  const services = servicesOf({ tools: [pay], ledger });
  const execution = new Execution(services, new Pipeline(services), { id: "c", name: "pay" }, {}, undefined);
  execution.resolveTo(pay);
  // As where it does not throw.
  Object.assign(execution, { current: nextState(JOINED, RUNNING, false) });
  const succeeded = { ...execution.failed({ kind: "fatal", message: "" }), isError: false };
  expect((await settle(execution, succeeded)).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
});

test("a question that a call asks before it goes to the background stays open", async () => {
  const book = tool({
    name: "book",
    description: "Book",
    input: { type: "object" },
    background: "5ms",
    async execute(_, { ask, effect }) {
      // What it reports keeps it from being started again, so that it is not parked with its question.
      effect({ type: "custom", name: "paid", data: 1 });
      return (await ask({ message: "Which day?" })).status;
    },
  });
  const executor = new Executor({ tools: [book] });
  const call = () => executor.call({ id: "c", name: "book" }, { executionId: "e", onWaiting: "return" });
  expect((await call()).waiting?.kind).toBe("background");
  await executor.waits.answer("e", { by: { id: "ann" }, value: "monday" });
  await expect.poll(async () => (await call()).value).toBe("answered");
});
