import {
  ApprovalQueue,
  type CallEvent,
  deferred,
  Executor,
  type ExecutorOptions,
  MemoryJournal,
  MemoryLedger,
  tool,
} from "@toolrig/core";
import { MemoryApprovalStore, MemoryWaitStore } from "@toolrig/core/kit";
import { FakeClock } from "@toolrig/core/testing";
import { describe, expect, test } from "vitest";
import { type Script, scriptedEngine } from "../engines/scripted.ts";
import { transcriptProblems } from "../model/transcript.ts";
import { AgentLoop } from "./loop.ts";
import type { AgentLoopOptions } from "./options.ts";

const input = { type: "object" } as const;
const ann = { id: "ann" };

/** What processes share: a journal, a ledger, a store of waits. And what tools and hooks did in any of them. */
function world() {
  const waits = new MemoryWaitStore();
  const journal = new MemoryJournal();
  const ledger = new MemoryLedger();
  const did: string[] = [];
  const after: string[] = [];
  const ends: string[] = [];
  const spec = { description: "Does it", input };
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: () => did.push("paid") && "paid" }),
    tool({
      ...spec,
      name: "look",
      safety: { sideEffects: "read", idempotent: true },
      execute: () => did.push("looked") && "nothing",
    }),
    tool({
      ...spec,
      name: "book",
      async execute(_, { ask }) {
        const day = await ask({ message: "Which day?" });
        did.push("booked");
        return day.status === "answered" ? day.value : day.status;
      },
    }),
    tool({
      ...spec,
      name: "slow",
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
    }),
    tool({ ...spec, name: "deploy", execute: () => did.push("deploying") && deferred({ note: "job 7" }) }),
  ];
  const start = (
    script: Script,
    more: Partial<AgentLoopOptions> = {},
    options: Partial<ExecutorOptions> = {},
  ) => {
    const approvals = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
    const hooks: ExecutorOptions["hooks"] = {
      afterCall: ({ call, result }) => void after.push(`${call.name}${result.replayed ? " again" : ""}`),
    };
    const executor = new Executor({ tools, ledger, waits, approve: approvals.approver, hooks, ...options });
    executor.events.on((event: CallEvent) => event.type === "call.end" && ends.push(event.name));
    const asked: number[] = [];
    const engine = scriptedEngine((request, turn) => {
      asked.push(request.messages.length);
      const reply = typeof script === "function" ? script(request, turn) : script[turn - 1];
      if (reply === undefined) throw new Error("nothing more to say");
      return reply;
    });
    const loop = new AgentLoop({ engine, tools, executor, journal, onWaiting: "suspend", ...more });
    const idOf = async (name: string) => (await waits.list({ name }))[0]?.executionId ?? "";
    const end = {
      pay: async () => approvals.approve(await idOf("pay"), { by: ann }),
      book: async () => executor.waits.answer(await idOf("book"), { by: ann, value: "monday" }),
      deploy: async () => void (await executor.waits.complete(await idOf("deploy"), { by: ann }, "live")),
    };
    return { loop, executor, end, asked };
  };
  return { waits, journal, ledger, did, after, ends, start };
}

const call = (name: string) => ({ id: `c_${name}`, name });
const all = { text: "I do it all.", calls: ["pay", "look", "book", "deploy"].map(call) };
type Kind = "pay" | "book" | "deploy";
const ORDERS: Kind[][] = [
  ["pay", "book", "deploy"],
  ["pay", "deploy", "book"],
  ["book", "pay", "deploy"],
  ["book", "deploy", "pay"],
  ["deploy", "pay", "book"],
  ["deploy", "book", "pay"],
];

describe("a suspended run", () => {
  test("ends with what it waits for, and costs nothing", async () => {
    const { start, did, journal } = world();
    const { loop, executor } = start([all]);
    const outcome = await loop.run("go", { runId: "r" }).outcome;
    expect(outcome).toMatchObject({
      status: "waiting",
      text: "I do it all.",
      waits: [
        { callId: "c_pay", name: "pay", waiting: { kind: "approval" } },
        { callId: "c_book", name: "book", waiting: { kind: "question", note: "Which day?" } },
        { callId: "c_deploy", name: "deploy", waiting: { kind: "deferred", note: "job 7" } },
      ],
    });
    expect(transcriptProblems(outcome.messages)).toEqual([]);
    expect(did).toEqual(["looked", "deploying"]);
    expect(executor.health().inFlight).toBe(0);
    expect(journal.runs({ ended: false })).toMatchObject([{ waiting: { outcome: { status: "waiting" } } }]);
  });

  test.each(ORDERS)("goes on elsewhere when %s, %s and %s have ended", async (...order) => {
    const { start, did, after, ends } = world();
    const here = start([all]);
    await here.loop.run("go", { runId: "r" }).outcome;
    expect(after).toEqual(["look"]);
    for (const [index, kind] of order.entries()) {
      // The second is ended by the process that resumes it later, the others by the one that is gone.
      await (index === 1 ? start([]) : here).end[kind]();
    }
    after.length = ends.length = 0;
    const there = start(["all done"]);
    const outcome = await there.loop.resume("r").outcome;
    expect(outcome).toMatchObject({ status: "answered", text: "all done", turns: 2, calls: 4 });
    expect(after).toEqual(["pay", "book", "deploy again"]);
    expect(ends).toEqual(["pay", "book", "deploy"]);
    expect(did).toEqual(["looked", "deploying", "paid", "booked"]);
    const results = outcome.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map(({ callId, content: [part] }) => [callId, part])).toEqual([
      ["c_pay", { type: "text", text: "paid" }],
      ["c_look", { type: "text", text: "nothing" }],
      ["c_book", { type: "text", text: "monday" }],
      ["c_deploy", { type: "text", text: "live" }],
    ]);
  });

  test("waits again, without a call or a question to the model, while something is still open", async () => {
    const { start, did, after, journal } = world();
    const { loop, end } = start([all]);
    await loop.run("go", { runId: "r" }).outcome;
    await end.pay();
    const there = start(["never asked"]);
    const outcome = await there.loop.resume("r").outcome;
    expect(outcome).toMatchObject({ status: "waiting", waits: [{ name: "book" }, { name: "deploy" }] });
    expect(there.asked).toEqual([]);
    expect(did).toEqual(["looked", "deploying"]);
    expect(after).toEqual(["look"]);
    expect(journal.runs({ ended: false })).toHaveLength(1);
    expect(journal.entries("r").filter(({ type }) => type === "waiting")).toHaveLength(1);
  });

  test("may wait once more for what its tools ask next", async () => {
    const { start } = world();
    const ask = tool({
      name: "ask",
      description: "Asks twice",
      input,
      execute: async (_, { ask: say }) => [await say({ message: "One?" }), await say({ message: "Two?" })],
    });
    const make = (script: Script) => start(script, { tools: [ask] }, { tools: [ask] });
    const { loop, executor } = make([{ calls: [call("ask")] }]);
    await loop.run("go", { runId: "r" }).outcome;
    for (const note of ["One?", "Two?"]) {
      const [wait] = await executor.waits.list({ open: true });
      expect(wait?.note).toBe(note);
      await executor.waits.answer(wait?.id ?? "", { by: ann, value: "yes" });
      const next = await make(["done"]).loop.resume("r").outcome;
      expect(next.status).toBe(note === "One?" ? "waiting" : "answered");
    }
  });

  test("is refused to whoever resumes it at the same moment as another", async () => {
    const { start, did } = world();
    const { loop, end } = start([{ calls: [call("pay")] }]);
    await loop.run("go", { runId: "r" }).outcome;
    await end.pay();
    const outcomes = await Promise.all([1, 2, 3].map(() => start(["done"]).loop.resume("r").outcome));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["answered", "failed", "failed"]);
    expect(did).toEqual(["paid"]);
  });

  test("needs a journal", () => {
    expect(() => new AgentLoop({ engine: scriptedEngine([]), onWaiting: "suspend" })).toThrow(/journal/);
    expect(() => new AgentLoop({ engine: scriptedEngine([]), onWaiting: "wait" as never })).toThrow(
      /onWaiting/,
    );
  });
});

describe("a suspended run by itself", () => {
  test("is resumed once when the last wait has ended, by one of the processes that have the loop", async () => {
    const { start, did, journal } = world();
    const { loop, end } = start([all]);
    const told: string[] = [];
    const stops = [1, 2].map((each) => {
      const there = start(["all done"]);
      return there.loop.resumeWhenReady({
        every: "5ms",
        onResume: async ({ outcome }) => told.push(`${each} ${(await outcome).status}`),
      });
    });
    await loop.run("go", { runId: "r" }).outcome;
    for (const kind of ["deploy", "pay", "book"] as const) {
      expect(told).toEqual([]);
      await end[kind]();
    }
    await expect.poll(() => journal.runs({ ended: true })).toHaveLength(1);
    for (const stop of stops) stop();
    await expect.poll(() => told.length).toBe(1);
    expect(told[0]).toMatch(/answered/);
    expect(did).toEqual(["looked", "deploying", "paid", "booked"]);
    expect(journal.entries("r").filter(({ type }) => type === "waiting")).toHaveLength(1);
  });

  test("is told at once of what ends in the same process", async () => {
    const { start } = world();
    const { loop, end } = start([{ calls: [call("deploy")] }, "live at last"]);
    const resumed = new Promise<string>((resolve) => {
      const stop = loop.resumeWhenReady({
        every: "1h",
        async onResume({ outcome }) {
          stop();
          resolve((await outcome).text);
        },
      });
    });
    await loop.run("go", { runId: "r" }).outcome;
    await end.deploy();
    expect(await resumed).toBe("live at last");
  });

  test("checks its options", () => {
    const { start } = world();
    const { loop } = start([]);
    expect(() => loop.resumeWhenReady({ evry: "1s" } as never)).toThrow(/evry/);
    expect(() => new AgentLoop({ engine: scriptedEngine([]) }).resumeWhenReady()).toThrow(/journal/);
  });
});

test("the budget of time stands still while a run only waits", async () => {
  const clock = new FakeClock();
  const { start, waits } = world();
  const { loop, end } = start(
    [{ calls: [call("deploy")] }, "done"],
    { onWaiting: "hold", budgets: { time: "10s" }, clock },
    { clock },
  );
  const run = loop.run("go");
  await expect.poll(() => waits.list({ open: true })).toHaveLength(1);
  for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
  await end.deploy();
  expect(await run.outcome).toMatchObject({ status: "answered", text: "done" });
});

test("a run that is aborted while its calls are parked leaves none of them behind", async () => {
  const { start, waits } = world();
  const { loop, executor } = start([{ calls: [call("deploy"), call("slow")] }]);
  const run = loop.run("go", { runId: "r" });
  await expect.poll(() => waits.list({ open: true, name: "deploy" })).toHaveLength(1);
  run.abort();
  expect((await run.outcome).status).toBe("aborted");
  expect(waits.list({ open: true })).toEqual([]);
  expect(executor.health().inFlight).toBe(0);
});
