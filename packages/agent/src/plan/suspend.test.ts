import { ApprovalQueue, deferred, Executor, failure, MemoryJournal, MemoryLedger, tool } from "@toolrig/core";
import { MemoryApprovalStore, MemoryWaitStore } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { type Script, scriptedEngine } from "../engines/scripted.ts";
import { PlanExecutor } from "./plan-executor.ts";

const input = { type: "object", properties: { of: {} } } as const;
const ann = { id: "ann" };

/** What processes share, and what tools did in any of them. */
function world() {
  const waits = new MemoryWaitStore();
  const journal = new MemoryJournal();
  const ledger = new MemoryLedger();
  const did: string[] = [];
  const tools = [
    tool({
      name: "pay",
      description: "Pay",
      input,
      approval: true,
      execute: ({ of }) => did.push(`paid ${of}`) && `paid ${of}`,
    }),
    tool({
      name: "note",
      description: "Note",
      input,
      execute: ({ of }) => did.push(`noted ${of}`) && `noted ${of}`,
    }),
    tool({
      name: "risk",
      description: "Defer, or fail",
      input,
      execute: ({ of }) => (of === "bad" ? failure("it broke") : deferred()),
    }),
    tool({
      name: "deploy",
      description: "Deploy",
      input,
      execute: () => did.push("deploying") && deferred(),
    }),
  ];
  const start = (script: Script = []) => {
    const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
    const executor = new Executor({ tools, ledger, waits, approve: approvals.approver });
    const engine = scriptedEngine(script);
    const plans = new PlanExecutor({ tools, executor, journal, engine, onWaiting: "suspend" });
    const idOf = async (name: string) => (await waits.list({ name, open: true }))[0]?.executionId ?? "";
    return {
      plans,
      pay: async () => approvals.approve(await idOf("pay"), { by: ann }),
      deploy: async () => executor.waits.complete(await idOf("deploy"), { by: ann }, "live"),
    };
  };
  return { start, did, journal, waits };
}

const step = (name: string, toolName: string, of: unknown) => ({
  name,
  kind: "tool",
  tool: toolName,
  input: { of },
});

test("a plan that waits goes on with what does not, and with the rest when it is resumed elsewhere", async () => {
  const { start, did, journal } = world();
  const steps = [
    step("invoice", "pay", "rent"),
    step("receipt", "note", { $from: "invoice" }),
    step("other", "note", "this"),
    step("more", "note", { $from: "other" }),
  ];
  const here = start();
  const waiting = await here.plans.run({ steps, output: { $from: "receipt" } }, { runId: "p" }).outcome;
  expect(waiting).toMatchObject({
    status: "waiting",
    outputs: { other: "noted this", more: "noted noted this" },
    steps: { invoice: { status: "waiting" }, receipt: { status: "waiting", waits: [] } },
    waits: [{ name: "pay", waiting: { kind: "approval" } }],
  });
  expect(waiting.error).toBeUndefined();
  expect(journal.runs({ ended: false, kind: "plan" })).toMatchObject([
    { waiting: { outcome: { status: "waiting" } } },
  ]);
  expect((await start().plans.resume("p").outcome).status).toBe("waiting");
  await here.pay();
  const outcome = await start().plans.resume("p").outcome;
  expect(outcome).toMatchObject({ status: "completed", output: "noted paid rent" });
  expect(did).toEqual(["noted this", "noted noted this", "paid rent", "noted paid rent"]);
});

test("a plan goes on by itself with each step whose wait has ended", async () => {
  const { start, did, journal } = world();
  const steps = [
    step("invoice", "pay", "rent"),
    step("receipt", "note", { $from: "invoice" }),
    step("site", "deploy", "a"),
    step("post", "note", { $from: "site" }),
  ];
  const here = start();
  await here.plans.run({ steps }, { runId: "p" }).outcome;
  const stops = [start(), start()].map(({ plans }) => plans.resumeWhenReady({ every: "5ms" }));
  await here.deploy();
  await expect.poll(() => did).toContain("noted live");
  expect(did).not.toContain("paid rent");
  await here.pay();
  await expect.poll(() => journal.runs({ ended: true, kind: "plan" })).toHaveLength(1);
  for (const stop of stops) stop();
  expect(did.sort()).toEqual(["deploying", "noted live", "noted paid rent", "paid rent"]);
});

test("items of a map and the calls of a loop wait, too", async () => {
  const { start, did } = world();
  const steps = [
    {
      name: "bills",
      kind: "map",
      over: { $from: "input" },
      do: { kind: "tool", tool: "pay", input: { of: { $from: "item" } } },
    },
    { name: "agent", kind: "loop", task: "deploy it" },
  ];
  const here = start([{ calls: [{ name: "deploy" }] }]);
  const waiting = await here.plans.run({ steps }, { runId: "p", input: ["rent", "gas"] }).outcome;
  expect(waiting.waits?.map(({ name }) => name).sort()).toEqual(["deploy", "pay", "pay"]);
  for (const end of [here.pay, here.deploy, here.pay]) await end();
  const outcome = await start(["it is live"]).plans.resume("p").outcome;
  expect(outcome).toMatchObject({
    status: "completed",
    outputs: { bills: ["paid rent", "paid gas"], agent: "it is live" },
  });
  expect(did.sort()).toEqual(["deploying", "paid gas", "paid rent"]);
});

test("nothing stays parked for the items of a map that has failed", async () => {
  const { start, waits } = world();
  const each = { kind: "tool", tool: "risk", input: { of: { $from: "item" } } };
  const steps = [{ name: "all", kind: "map", over: { $from: "input" }, do: each }];
  const { outcome } = start().plans.run({ steps }, { runId: "p", input: ["good", "bad"] });
  expect((await outcome).status).toBe("failed");
  expect(waits.list({ open: true })).toEqual([]);
  expect(waits.list({ name: "risk" })).toMatchObject([{ end: { how: "cancelled" } }]);
});
