import { describe, expect, test } from "vitest";
import { transient } from "../../failure/failure.ts";
import { MemoryLedger } from "../../stores/ledger.ts";
import { MemoryCallStore } from "../../stores/records.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { Executor } from "../executor.ts";

const input = { type: "object" } as const;

/** A payment that takes as long as it is told to. */
function slowPayment(spec: Partial<ToolSpec<unknown, unknown>> = {}) {
  let paid = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const pay = tool({
    name: "pay",
    description: "Pay",
    input,
    ...spec,
    async execute() {
      paid += 1;
      await finished;
      return `receipt ${paid}`;
    },
  } as ToolSpec<unknown, unknown>);
  return { pay, finish, paid: () => paid };
}

const PAY = { id: "c", name: "pay", arguments: { amount: 5 } };
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("one execution id in two executors on one ledger", () => {
  test.each([
    { tool: "whose reconcile says that it never ran", spec: { reconcile: () => ({ outcome: "never-ran" }) } },
    { tool: "that is idempotent", spec: { safety: { sideEffects: "external", idempotent: true } } },
    { tool: "that declares nothing", spec: {} },
  ])("runs once, and both get its result: a tool $tool", async ({ spec }) => {
    const { pay, finish, paid } = slowPayment(spec as object);
    const ledger = new MemoryLedger();
    const executors = [0, 1].map(() => new Executor({ tools: [pay], ledger }));
    const both = executors.map((executor) => executor.call(PAY, { executionId: "e" }));
    await settled();
    finish();
    const results = await Promise.all(both);
    expect(results.map(({ value }) => value)).toEqual(["receipt 1", "receipt 1"]);
    expect(results.map(({ replayed = false }) => replayed)).toEqual([false, true]);
    expect(paid()).toBe(1);
  });

  test("who waits may stop waiting; the other goes on", async () => {
    const { pay, finish } = slowPayment();
    const ledger = new MemoryLedger();
    const [first, second] = [0, 1].map(() => new Executor({ tools: [pay], ledger })) as [Executor, Executor];
    const running = first.call(PAY, { executionId: "e" });
    const controller = new AbortController();
    const waiting = second.call(PAY, { executionId: "e", signal: controller.signal });
    await settled();
    controller.abort();
    expect((await waiting).failure?.code).toBe("TOOL_CANCELLED");
    finish();
    expect((await running).value).toBe("receipt 1");
  });
});

describe("two calls at once under one execution id", () => {
  test("are two records, each with who made it", async () => {
    const { pay, finish } = slowPayment();
    const store = new MemoryCallStore();
    const executor = new Executor({ tools: [pay], store });
    const eve = executor.call({ ...PAY, arguments: { to: "eve", amount: 9_999 } }, made("eve"));
    const ann = executor.call({ ...PAY, arguments: { to: "ann" } }, made("ann"));
    const unknown = executor.call({ id: "c", name: "nobody" }, made("bob"));
    await settled();
    finish();
    expect([(await eve).isError, (await ann).failure?.code, (await unknown).failure?.code]).toEqual([
      false,
      "TOOL_BLOCKED",
      "TOOL_NOT_FOUND",
    ]);
    await executor.drain();
    const records = store
      .records()
      .map(({ principal, args, result }) => [principal?.id, args, result.isError]);
    expect(records).toContainEqual(["eve", { to: "eve", amount: 9_999 }, false]);
    expect(records).toContainEqual(["ann", { to: "ann" }, true]);
    expect(records).toHaveLength(3);
    expect(executor.health().recordsDropped).toBe(0);
  });

  test("a result that is given again is no second record", async () => {
    const { pay, finish } = slowPayment();
    finish();
    const store = new MemoryCallStore();
    const executor = new Executor({ tools: [pay], store });
    for (const id of ["a", "b", "c"])
      expect((await executor.call({ ...PAY, id }, made("ann"))).value).toBe("receipt 1");
    await executor.drain();
    expect(store.records().map(({ callId }) => callId)).toEqual(["a"]);
  });

  const made = (id: string) => ({ executionId: "e", principal: { id } });
});

test("a stored result is given to another principal only if the guards would let them call", async () => {
  const { pay, finish } = slowPayment();
  finish();
  const executor = new Executor({
    tools: [pay],
    guards: [
      {
        name: "not eve",
        before: ({ principal }) =>
          principal?.id === "eve" ? { verdict: "deny", reason: "eve may not pay" } : undefined,
      },
    ],
  });
  const as = (id?: string) =>
    executor.call(PAY, { executionId: "e", ...(id !== undefined && { principal: { id } }) });
  expect((await as("boss")).value).toBe("receipt 1");
  expect((await as("eve")).failure?.code).toBe("TOOL_BLOCKED");
  expect(await as("ann")).toMatchObject({ value: "receipt 1", replayed: true });
});

describe("a call that a tool makes", () => {
  /** An order that fails after it paid, and is tried again. */
  function shop(times: number) {
    let paid = 0;
    const pay = tool({ name: "pay", description: "Pay", input, execute: () => `receipt ${++paid}` });
    const order = tool({
      name: "order",
      description: "Order",
      input,
      safety: { sideEffects: "external", idempotent: true },
      retry: { backoff: 0 },
      async execute(_, { call, attempt }) {
        const receipts = [await call("pay", { amount: 1 }), await call("pay", { amount: 1 })];
        return attempt < times ? transient("the shop is closed") : receipts.map(({ value }) => value);
      },
    });
    return { tools: [pay, order], paid: () => paid };
  }

  test("is found in the ledger when the tool is started again under its id", async () => {
    const { tools, paid } = shop(1);
    const ledger = new MemoryLedger();
    const first = await new Executor({ tools, ledger }).call(
      { id: "c", name: "order" },
      { executionId: "o" },
    );
    expect(first.value).toEqual(["receipt 1", "receipt 2"]);
    expect(paid()).toBe(2);
    // The order itself was never recorded; its payments were.
    const forgetful = Object.assign(new MemoryLedger(), {
      intend: (intent: Parameters<MemoryLedger["intend"]>[0]) =>
        intent.name === "order" ? { state: "new" } : ledger.intend(intent),
      get: (id: string) => (id === "o" ? undefined : ledger.get(id)),
    });
    const again = await new Executor({ tools, ledger: forgetful }).call(
      { id: "c", name: "order" },
      { executionId: "o" },
    );
    expect(again.value).toEqual(["receipt 1", "receipt 2"]);
    expect(paid()).toBe(2);
  });

  test("and cannot be repeated keeps the tool from being tried again by itself", async () => {
    const { tools, paid } = shop(3);
    const store = new MemoryCallStore();
    const executor = new Executor({ tools, store });
    const result = await executor.call({ id: "c", name: "order" });
    expect(result).toMatchObject({ isError: true, attempts: 1 });
    expect(paid()).toBe(2);
    await executor.drain();
    const order = store.records().find(({ name }) => name === "order");
    expect(order?.did).toEqual({ sideEffects: "external", idempotent: false });
  });

  test("of a tool that only says it reads is recorded as what it did, and not remembered", async () => {
    let paid = 0;
    const pay = tool({ name: "pay", description: "Pay", input, execute: () => `receipt ${++paid}` });
    const look = tool({
      name: "look",
      description: "Look",
      input,
      pure: true,
      safety: { sideEffects: "read", idempotent: true },
      execute: async (_, { call }) => (await call("pay", {})).value,
    });
    const executor = new Executor({ tools: [pay, look] });
    const run = async () => (await executor.call({ id: "c", name: "look" }, { runId: "r" })).cached ?? false;
    expect([await run(), await run()]).toEqual([false, false]);
  });
});

test("attempts count starts, also those of a process that is gone", async () => {
  const attempts: number[] = [];
  const put = tool({
    name: "put",
    description: "Put",
    input,
    safety: { sideEffects: "write", idempotent: true },
    execute: (_, { attempt }) => void attempts.push(attempt),
  });
  const ledger = Object.assign(new MemoryLedger(), { intend: () => ({ state: "open" }) as const });
  const executor = new Executor({ tools: [put], ledger });
  const result = await executor.call({ id: "c", name: "put" }, { executionId: "e" });
  expect([attempts, result.attempts]).toEqual([[2], 2]);
});
