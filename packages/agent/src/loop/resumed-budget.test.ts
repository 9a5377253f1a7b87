import { ApprovalQueue, budgetGuard, Executor, MemoryJournal, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "./loop.ts";

test.each([
  ["the loop's own budget", { budgets: { calls: 1 } }, []],
  ["a guard's budget", {}, [budgetGuard({ callsPerRun: 1 })]],
])(
  "a call that a suspended run waited with runs when the run goes on, under %s of one",
  async (_, options, guards) => {
    const ran: string[] = [];
    const input = { type: "object" } as const;
    const pay = tool({
      name: "pay",
      description: "Pay",
      input,
      approval: true,
      execute: () => `${ran.push("pay")}`,
    });
    const queue = new ApprovalQueue();
    const executor = new Executor({ tools: [pay], guards, approve: queue.approver });
    const journal = new MemoryJournal();
    const engine = scriptedEngine([{ calls: [{ id: "c", name: "pay", arguments: {} }] }, "done"]);
    const loop = new AgentLoop({ engine, tools: [pay], executor, journal, onWaiting: "suspend", ...options });
    const first = await loop.run("pay", { runId: "r" }).outcome;
    expect(first.status).toBe("waiting");
    const [open] = await queue.store.list({ open: true });
    await queue.approve(open?.pending.executionId ?? "", { by: { id: "ann" } });
    const outcome = await loop.resume("r").outcome;
    expect(ran).toEqual(["pay"]);
    expect(outcome.status).toBe("answered");
  },
);
