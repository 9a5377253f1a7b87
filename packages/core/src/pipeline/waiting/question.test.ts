import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  ApprovalQueue,
  type CallEvent,
  Executor,
  type ExecutorOptions,
  type JsonSchema,
  MemoryCallStore,
  type ToolSpec,
  tool,
} from "../../index.ts";
import { MemoryApprovalStore, MemoryWaitStore } from "../../kit.ts";
import { FakeClock } from "../../testing/fake-clock.ts";

type Spec = Partial<ToolSpec<JsonSchema, unknown>>;
const bob = { id: "bob" };

function rig(more: Spec = {}, options: ExecutorOptions = {}) {
  const ran: string[] = [];
  const store = new MemoryCallStore();
  const book = tool({
    name: "book",
    description: "Book",
    input: { type: "object" },
    async execute(_, { ask, attempt }) {
      ran.push(`start ${attempt}`);
      const day = await ask({ message: "Which day?", schema: z.object({ day: z.string() }) });
      const seat = await ask({ message: "Which seat?" });
      ran.push("booked");
      return { day, seat };
    },
    ...more,
  });
  const executor = new Executor({ tools: [book], store, ...options });
  const events: CallEvent[] = [];
  executor.events.on((event) => events.push(event));
  const start = (more: object = {}) =>
    executor.call({ id: "c", name: "book" }, { executionId: "e", principal: bob, runId: "r", ...more });
  const open = () => executor.waits.list({ open: true });
  return { executor, ran, start, open, events, store };
}

describe("a question of a tool", () => {
  test("waits for its answer, and the tool goes on with it", async () => {
    const { executor, ran, start, open } = rig();
    const call = start();
    await expect.poll(open).toMatchObject([{ kind: "question", note: "Which day?", runId: "r" }]);
    await executor.waits.answer("e", { by: bob, value: { day: "monday" } });
    await expect.poll(open).toMatchObject([{ note: "Which seat?" }]);
    await executor.waits.answer("e", { by: bob, declined: true, reason: "any" });
    expect((await call).value).toEqual({
      day: { status: "answered", value: { day: "monday" } },
      seat: { status: "declined", reason: "any" },
    });
    expect(ran).toEqual(["start 1", "booked"]);
  });

  test("refuses an answer that does not fit, and one by somebody who may not", async () => {
    const { executor, start, open } = rig({}, { mayAnswer: ({ id }) => id === "bob" });
    const call = start();
    await expect.poll(open).toHaveLength(1);
    await expect(executor.waits.answer("e", { by: bob, value: { day: 1 } })).rejects.toThrow(
      /still waits.*day/,
    );
    await expect(executor.waits.answer("e", { by: { id: "eve" }, value: { day: "x" } })).rejects.toThrow(
      /may not answer/,
    );
    await expect(executor.waits.answer("x", { by: bob, value: 1 })).rejects.toThrow(/No question waits/);
    await executor.waits.cancel("e");
    await expect.poll(open).toMatchObject([{ note: "Which seat?" }]);
    await executor.waits.cancel("e", { reason: "enough" });
    expect((await call).value).toEqual({
      day: { status: "cancelled" },
      seat: { status: "cancelled", reason: "enough" },
    });
  });

  test("expires, and keeps no deadline going while it waits", async () => {
    const clock = new FakeClock();
    const { start } = rig(
      {
        timeout: "10s",
        async execute(_, { ask }) {
          return ask({ message: "Which day?", expires: "1h" });
        },
      },
      { clock },
    );
    const call = start();
    for (let minute = 0; minute < 61; minute++) await clock.advance(60_000);
    expect((await call).value).toEqual({ status: "cancelled", reason: "nobody answered in time" });
    expect((await call).waitedMs).toBeGreaterThanOrEqual(3_600_000);
  });

  test("of a call that is not held parks it; started again, the tool has the answers that it had", async () => {
    const { executor, ran, start, store } = rig();
    const park = () => start({ onWaiting: "return" });
    expect(await park()).toMatchObject({ waiting: { kind: "question", note: "Which day?" } });
    expect(await park()).toMatchObject({ waiting: { kind: "question", note: "Which day?" } });
    expect(executor.health().inFlight).toBe(0);
    await executor.waits.answer("e", { by: bob, value: { day: "monday" } });
    expect(await park()).toMatchObject({ waiting: { note: "Which seat?" } });
    await executor.waits.answer("e", { by: bob, value: "12A" });
    expect((await park()).value).toMatchObject({ seat: { value: "12A" } });
    expect(ran).toEqual(["start 1", "start 2", "start 3", "booked"]);
    await executor.drain();
    expect(store.records()).toHaveLength(1);
  });

  test("of a tool that has reported an effect and may not repeat it is held in any case", async () => {
    const { executor, ran, start, open } = rig({
      async execute(_, { ask, effect }) {
        ran.push("paid");
        effect({ type: "custom", name: "paid", data: 1 });
        return ask({ message: "Send a receipt?" });
      },
    });
    const call = start({ onWaiting: "return" });
    await expect.poll(open).toHaveLength(1);
    await executor.waits.answer("e", { by: bob, value: "yes" });
    expect((await call).value).toEqual({ status: "answered", value: "yes" });
    expect(ran).toEqual(["paid"]);
  });

  test("asked twice has two answers", async () => {
    const { executor, start, open } = rig({
      async execute(_, { ask }) {
        const [one, two] = [await ask({ message: "Name?" }), await ask({ message: "Name?" })];
        return [one, two];
      },
    });
    const call = start();
    for (const value of ["ada", "bob"]) {
      await expect.poll(open).toHaveLength(1);
      await executor.waits.answer("e", { by: bob, value });
    }
    expect((await call).value).toMatchObject([{ value: "ada" }, { value: "bob" }]);
  });
});

test("an approval of a call that is not held parks it, in the store of waits", async () => {
  const waits = new MemoryWaitStore();
  const queue = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
  const { executor, ran, start } = rig(
    { approval: true, execute: () => ran.push("ran") },
    { approve: queue.approver, waits },
  );
  const park = () => start({ onWaiting: "return" });
  expect(await park()).toMatchObject({ waiting: { kind: "approval", note: "book requires approval" } });
  expect(await executor.waits.counts()).toMatchObject([{ kind: "approval", count: 1 }]);
  await queue.approve("e", { by: { id: "ann" } });
  expect((await park()).isError).toBe(false);
  expect(ran).toEqual(["ran"]);
});

test("a held approval is told as waiting and resumed", async () => {
  const queue = new ApprovalQueue();
  const { start, events } = rig({ approval: true, execute: () => "ran" }, { approve: queue.approver });
  const call = start();
  await expect.poll(() => queue.store.get("e")).toBeDefined();
  await queue.approve("e", { by: { id: "ann" } });
  await call;
  expect(events.map(({ type }) => type)).toEqual([
    "call.start",
    "call.verdict",
    "call.waiting",
    "call.resumed",
    "call.verdict",
    "call.attempt",
    "call.end",
  ]);
});

test("a call that waits inside of another lets neither deadline go on", async () => {
  const clock = new FakeClock();
  const outer = tool({
    name: "outer",
    description: "Calls",
    input: { type: "object" },
    timeout: "10s",
    execute: async (_, { call }) => (await call("book", {})).value,
  });
  const { executor, start, open } = rig(
    { timeout: "10s", execute: (_, { ask }) => ask({ message: "Which day?" }) },
    { clock },
  );
  void start;
  const both = new Executor({
    tools: [outer, ...executor.tools.tools()],
    clock,
    waits: executor.waits.store,
  });
  const call = both.call({ id: "c", name: "outer" }, { onWaiting: "return" });
  await clock.advance(1);
  await clock.advance(60_000);
  const [wait] = await open();
  await both.waits.answer(wait?.id ?? "", { by: bob, value: "monday" });
  expect((await call).value).toEqual({ status: "answered", value: "monday" });
});
