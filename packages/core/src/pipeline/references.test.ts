import { expect, test } from "vitest";
import type { ToolResult } from "../call/result.ts";
import { transient } from "../failure/failure.ts";
import { MemoryLedger } from "../stores/ledger.ts";
import { MemoryCallStore } from "../stores/records.ts";
import { tool } from "../tool/define-tool.ts";
import { Executor } from "./executor.ts";

interface Payment {
  amount: number;
  to: { name: string };
}

const BOB = { amount: 20, to: { name: "bob" } };
const input = { type: "object" } as const;
const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

/** What was paid, as the tool got it. */
function bank(spoil?: (args: Payment) => void) {
  const paid: Payment[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input,
    approval: true,
    execute: (args) => {
      paid.push(structuredClone(args as unknown as Payment));
      spoil?.(args as unknown as Payment);
      return "paid";
    },
  });
  return { paid, pay };
}

test("what was approved is what runs, whatever the caller does to its object meanwhile", async () => {
  const { paid, pay } = bank();
  const given = structuredClone(BOB);
  const executor = new Executor({
    tools: [pay],
    approve: async () => {
      given.amount = 5_000;
      given.to.name = "eve";
      return { approved: true };
    },
  });
  await executor.call({ id: "c", name: "pay", arguments: given });
  expect(paid).toEqual([BOB]);
});

test("what was approved is what runs, whatever a tool does to what it gave to another", async () => {
  const { paid, pay } = bank();
  const order = tool({
    name: "order",
    description: "Order",
    input,
    async execute(_, { call }) {
      const given = structuredClone(BOB);
      const pending = call("pay", given);
      given.to.name = "eve";
      return (await pending).value;
    },
  });
  const executor = new Executor({ tools: [pay, order], approve: () => ({ approved: true }) });
  await executor.call({ id: "c", name: "order" });
  expect(paid).toEqual([BOB]);
});

test("approvers, guards and listeners cannot change arguments in place", async () => {
  const { paid, pay } = bank();
  const tried: string[] = [];
  const spoil = (args: unknown, who: string) => {
    try {
      (args as Payment).to.name = "eve";
    } catch {
      tried.push(who);
    }
  };
  const executor = new Executor({
    tools: [pay],
    approve: ({ args }) => {
      spoil(args, "approver");
      return { approved: true };
    },
    guards: [{ name: "g", before: ({ args }) => spoil(args, "guard") as undefined }],
    events: (event) => {
      if ("args" in event) spoil(event.args, event.type);
      if ("arguments" in event) spoil(event.arguments, event.type);
    },
  });
  await executor.call({ id: "c", name: "pay", arguments: structuredClone(BOB) });
  expect(paid).toEqual([BOB]);
  expect(tried).toEqual(["call.start", "guard", "approver", "call.attempt", "call.end"]);
});

test("calls of a batch that share an object do not share what they do to it", async () => {
  const { paid, pay } = bank((args) => {
    args.amount = 8_888;
  });
  const executor = new Executor({ tools: [pay], approve: () => ({ approved: true }) });
  const shared = structuredClone(BOB);
  await executor.batch([
    { id: "1", name: "pay", arguments: shared },
    { id: "2", name: "pay", arguments: shared },
  ]);
  expect(paid).toEqual([BOB, BOB]);
  expect(shared).toEqual(BOB);
});

test.each([{ listening: true }, { listening: false }])(
  "every attempt gets the arguments as they were checked: %o",
  async ({ listening }) => {
    const got: unknown[] = [];
    const flaky = tool({
      name: "flaky",
      description: "Fails first",
      input,
      safety: { sideEffects: "read", idempotent: true },
      retry: { backoff: 0 },
      execute: (args: { list?: number[] }, { attempt }) => {
        got.push(structuredClone(args));
        args.list?.push(attempt);
        return attempt < 3 ? transient("not yet") : "there";
      },
    });
    const executor = new Executor({ tools: [flaky], ...(listening && { events: () => {} }) });
    await executor.call({ id: "c", name: "flaky", arguments: '{"list":[0]}' });
    expect(got).toEqual([{ list: [0] }, { list: [0] }, { list: [0] }]);
  },
);

test("a record holds what was written, checked and answered, whatever tool and caller do to it", async () => {
  const store = new MemoryCallStore();
  const note = tool({
    name: "note",
    description: "Note",
    input,
    execute: (args: { amount?: number }) => {
      args.amount = 4_444;
      return { kept: [1] };
    },
  });
  const executor = new Executor({ tools: [note], store });
  const given = { amount: 1 };
  const result = await executor.call({ id: "c", name: "note", arguments: given });
  given.amount = 9_999;
  (result.value as { kept: number[] }).kept.push(2);
  result.content[0] = { type: "text", text: "tampered" };
  await executor.drain();
  expect(store.records()).toMatchObject([
    {
      rawArguments: { amount: 1 },
      args: { amount: 1 },
      result: { value: { kept: [1] }, content: [{ type: "text", text: '{"kept":[1]}' }] },
    },
  ]);
});

test("a listener cannot change the result that the caller gets", async () => {
  const note = tool({ name: "note", description: "Note", input, execute: () => ({ kept: [1] }) });
  const executor = new Executor({
    tools: [note],
    events: (event) => {
      if (event.type === "call.end") (event.result as { value: unknown }).value = "changed";
    },
  });
  const { value } = await executor.call({ id: "c", name: "note" });
  expect(value).toEqual({ kept: [1] });
  expect(executor.health().listenerFaults).toBe(1);
});

test("who changes an answer from the memo or the ledger changes it for nobody else", async () => {
  const list = tool({
    name: "list",
    description: "List",
    input,
    pure: true,
    safety: { sideEffects: "none" },
    execute: () => [1],
  });
  const send = tool({ name: "send", description: "Send", input, execute: () => ({ sent: ["bob"] }) });
  const ledger = new MemoryLedger();
  const executor = new Executor({ tools: [list, send], ledger });
  const spoil = ({ value, content }: ToolResult) => {
    (Array.isArray(value) ? value : (value as { sent: string[] }).sent).push("eve" as never);
    content.length = 0;
  };
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all([
      executor.call({ id: "l", name: "list" }, { runId: "r" }),
      executor.call({ id: "s", name: "send" }, { executionId: "once" }),
    ]);
    expect(answers.map(({ value }) => value)).toEqual([[1], { sent: ["bob"] }]);
    expect(answers.map(({ content }) => content.length)).toEqual([1, 1]);
    for (const answer of answers) spoil(answer);
    await soon();
  }
});
