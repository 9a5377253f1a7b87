import { describe, expect, test } from "vitest";
import { z } from "zod";
import { result, type ToolResult } from "../call/result.ts";
import { transient } from "../failure/failure.ts";
import type { Guard } from "../guards/guard.ts";
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

test.each([
  { what: "bytes", value: Buffer.from("hello") },
  { what: "a map that holds bytes", value: new Map([["b", Buffer.from("x")]]) },
])("a tool that returns $what is answered and recorded, whoever listens", async ({ value }) => {
  const store = new MemoryCallStore();
  const read = tool({
    name: "read",
    description: "Read",
    input,
    execute: (_, { effect }) => {
      effect({ type: "custom", name: "read", data: Buffer.from("y") });
      return result({ content: "read", details: value, value });
    },
  });
  const executor = new Executor({ tools: [read], store, events: () => {} });
  const results = await executor.batch([
    { id: "1", name: "read" },
    { id: "2", name: "read" },
  ]);
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  await executor.drain();
  expect(store.records()).toHaveLength(2);
  expect(executor.health().inFlight).toBe(0);
});

test("whatever a listener does to an event, it is recorded as it was", async () => {
  const spoilers: ((event: Record<string, unknown>) => void)[] = [
    (event) => {
      event.type = `tool:${event.type}`;
    },
    (event) => {
      delete event.result;
    },
    (event) => {
      event.executionId = "another";
    },
    (event) => Object.assign(event.principal ?? {}, { id: "eve" }),
  ];
  for (const spoil of spoilers) {
    const store = new MemoryCallStore();
    const { pay } = bank();
    const executor = new Executor({
      tools: [pay],
      store,
      approve: () => ({ approved: true }),
      events: (event) => spoil(event as unknown as Record<string, unknown>),
    });
    const { executionId } = await executor.call(
      { id: "c", name: "pay", arguments: BOB },
      { principal: { id: "ann" } },
    );
    await executor.drain();
    expect(store.records()).toMatchObject([
      { executionId, principal: { id: "ann" }, args: BOB, result: { isError: false } },
    ]);
  }
});

test("nobody changes on whose behalf a call is made", async () => {
  const store = new MemoryCallStore();
  const secret = tool({ name: "secret", description: "Secret", input, execute: () => "done" });
  const sly = tool({
    name: "sly",
    description: "Sly",
    input,
    async execute(_, { call, principal }) {
      try {
        (principal as { id: string }).id = "root";
      } catch {}
      return (await call("secret", {})).failure?.code;
    },
  });
  const principal = { id: "bob" };
  const executor = new Executor({
    tools: [secret, sly],
    store,
    guards: [
      {
        name: "root only",
        before: ({ call, principal: who }) =>
          call.name === "secret" && who?.id !== "root" ? { verdict: "deny", reason: "not root" } : undefined,
      },
    ],
  });
  const pending = executor.call({ id: "c", name: "sly" }, { principal });
  principal.id = "root";
  expect((await pending).value).toBe("TOOL_BLOCKED");
  await executor.drain();
  expect(store.records().map((record) => record.principal?.id)).toEqual(["bob", "bob"]);
});

test("a call object that is used again is another call", async () => {
  const { pay } = bank();
  const executor = new Executor({ tools: [pay], approve: async () => ({ approved: true }) });
  const call = { id: "1", name: "pay", arguments: { ...BOB } };
  const first = executor.call(call);
  Object.assign(call, { id: "2", name: "other" });
  const second = executor.call(call);
  expect(await first).toMatchObject({ callId: "1", name: "pay", value: "paid" });
  expect(await second).toMatchObject({ callId: "2", name: "other", isError: true });
});

test("a guard changes a result by its verdict, and no other way", async () => {
  const note = tool({
    name: "note",
    description: "Note",
    input,
    execute: () => result({ value: { a: 1 }, effects: [{ type: "custom", name: "noted" }] }),
  });
  const run = (after: Guard["after"]) =>
    new Executor({ tools: [note], guards: [{ name: "g", ...(after !== undefined && { after }) }] }).call({
      id: "c",
      name: "note",
    });
  const spoiled = await run((given) => {
    (given.effects as unknown[]).pop();
    return undefined;
  });
  expect(spoiled).toMatchObject({ failure: { code: "TOOL_BLOCKED" }, effects: [{ name: "noted" }] });
  const added = await run(({ result: seen }) => ({
    verdict: "rewrite",
    result: { ...seen, effects: [...(seen.effects ?? []), { type: "custom", name: "seen" }] },
  }));
  expect(added.effects?.map((effect) => "name" in effect && effect.name)).toEqual(["noted", "seen"]);
});

test("an effect is what it was when it was told", async () => {
  const write = tool({
    name: "write",
    description: "Write",
    input,
    execute(_, { effect }) {
      const told = { type: "file", path: "/seen", op: "write" } as {
        type: "file";
        path: string;
        op: "write";
      };
      effect(told);
      told.path = "/hidden";
    },
  });
  const { effects } = await new Executor({ tools: [write] }).call({ id: "c", name: "write" });
  expect(effects).toEqual([{ type: "file", path: "/seen", op: "write" }]);
});

test("execution ids of a batch are texts, too", () => {
  const executor = new Executor({ tools: [] });
  const batch = () => executor.batch([{ id: "c", name: "x" }], { executionIds: [5 as never] });
  expect(batch).toThrow("executionIds[0]");
});

test.each([{ principal: "bob" }, { principal: { id: 5 } }, { executionId: 5 }])(
  "options that could not hold are refused at once: %o",
  (options) => {
    const executor = new Executor({ tools: [] });
    expect(() => executor.call({ id: "c", name: "x" }, options as never)).toThrow(/OPTION_INVALID|must be/);
  },
);

describe("arguments that a schema made can be changed by nobody who only looks", () => {
  const text = z.array(z.string());
  const inputs = {
    "frozen outside alone": z.object({ to: text }).readonly(),
    "in a set": z.object({ to: text.transform((list) => new Set(list)) }),
    "in a map of maps": z.object({ to: text.transform(([who]) => new Map([["a", new Map([["b", who]])]])) }),
    "as bytes": z.object({ to: text.transform((list) => Buffer.from(list.join())) }),
    "as a date": z.object({ to: text.transform(() => new Date(5)) }),
    "as an address": z.object({ to: text.transform(([who]) => new URL(`https://${who}.example.org/`)) }),
  };
  test.each(Object.entries(inputs))("%s", async (_, schema) => {
    const judged: string[] = [];
    const ran: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Pay",
      input: schema,
      safety: { sideEffects: "external" },
      approval: true,
      execute({ to }) {
        ran.push(seen(to));
        return "paid";
      },
    });
    const look: Guard = { name: "look", before: ({ args }) => note(args), after: ({ args }) => note(args) };
    const note = (args: unknown) => void judged.push(seen((args as { to: unknown }).to));
    const spoiler: Guard = {
      name: "spoil",
      before: ({ args }) => spoil(args),
      after: ({ args }) => spoil(args),
    };
    const store = new MemoryCallStore();
    const executor = new Executor({
      tools: [pay],
      store,
      events: (event) => spoil("args" in event ? event.args : undefined),
      hooks: { beforeCall: ({ args }) => spoil(args) },
      guards: [spoiler, look, spoiler, { ...look, name: "again" }],
      approve({ args }) {
        note(args);
        spoil(args);
        return { approved: true };
      },
    });
    await executor.call({ id: "c", name: "pay", arguments: { to: ["ada"] } });
    await executor.flush();
    const [record] = store.records();
    const untouched = seen((schema.parse({ to: ["ada"] }) as { to: unknown }).to);
    expect(new Set([...judged, ...ran])).toEqual(new Set([untouched]));
    expect([judged.length, ran.length]).toEqual([5, 1]);
    expect(JSON.stringify(record?.args)).not.toMatch(/mallory|1970-01-01T00:00:00.099Z/);
  });

  function seen(to: unknown): string {
    if (to instanceof Map) return seen([...to].flat());
    if (Array.isArray(to)) return to.map(seen).join();
    return to instanceof Set ? [...to].join() : to instanceof Date ? to.toISOString() : String(to);
  }

  function spoil(args: unknown): undefined {
    const to = (args as { to?: unknown } | undefined)?.to;
    try {
      if (to instanceof Set) to.clear();
      else if (to instanceof Map) to.get("a").set("b", "mallory");
      else if (to instanceof Date) to.setTime(99);
      else if (to instanceof URL) to.hostname = "mallory.example.org";
      else if (to instanceof Uint8Array) to.fill(88);
      else (to as string[])[0] = "mallory";
    } catch {
      // It was frozen.
    }
  }
});

test("what one caller, guard or listener does to bytes and instances in a result reaches nobody else", async () => {
  class Money {
    amount = 20;
  }
  const give = tool({
    name: "give",
    description: "Give",
    input,
    safety: { sideEffects: "none", idempotent: true },
    pure: true,
    execute: () => ({ bytes: Buffer.from("good"), at: new Date(5), price: new Money() }),
  });
  type Given = { value: { bytes: Buffer; at: Date; price: Money } };
  const seen: string[] = [];
  const spoil = (given: unknown): undefined => {
    const { value } = given as Given;
    for (const change of [() => value.bytes.fill(88), () => value.at.setTime(99)])
      try {
        change();
      } catch {
        // It is data there.
      }
  };
  const spoilPrice = (given: unknown) => {
    (given as Given).value.price.amount = 5_000;
  };
  const store = new MemoryCallStore();
  const executor = new Executor({
    tools: [give],
    store,
    guards: [
      { name: "spoil", after: ({ result }) => spoil(result) },
      { name: "look", after: ({ result }) => void seen.push(JSON.stringify(result.value)) },
    ],
    events: (event) => {
      if (event.type !== "call.end") return;
      spoil(event.result);
      spoilPrice(event.result);
    },
  });
  const good = JSON.stringify({ bytes: Buffer.from("good"), at: new Date(5), price: { amount: 20 } });
  for (const id of ["1", "2"]) {
    const answer = await executor.call({ id, name: "give" }, { runId: "r" });
    expect([JSON.stringify(answer.value), answer.cached === true]).toEqual([good, id === "2"]);
    spoil(answer);
  }
  await executor.flush();
  expect(seen).toEqual([good, good]);
  const kept = { bytes: "[4 bytes]", at: new Date(5).toISOString(), price: { amount: 20 } };
  expect(store.records().map(({ result }) => result.value)).toEqual([kept, kept]);
});

test("a result stays as it was when its tool goes on with what it returned", async () => {
  const state = { n: 0, list: [{ n: 0 }] };
  const count = tool({
    name: "count",
    description: "Count",
    input,
    safety: { sideEffects: "none", idempotent: true },
    async execute(args) {
      if ((args as { wait?: boolean }).wait === true) await soon();
      state.n += 1;
      for (const each of state.list) each.n = state.n;
      return (args as { wait?: boolean }).wait === true ? result({ value: state, details: state }) : state;
    },
  });
  const executor = new Executor({ tools: [count] });
  const [first, second] = await executor.batch([
    { id: "1", name: "count" },
    { id: "2", name: "count", arguments: { wait: true } },
  ]);
  await executor.call({ id: "3", name: "count" });
  expect(first?.value).toEqual({ n: 1, list: [{ n: 1 }] });
  expect([second?.value, second?.details]).toEqual([
    { n: 2, list: [{ n: 2 }] },
    { n: 2, list: [{ n: 2 }] },
  ]);
});
