import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentLoop, type EngineRequest, type ScriptedReply, scriptedEngine } from "@toolrig/agent";
import { type AnyTool, Executor, tool } from "@toolrig/core";
import { runCode } from "@toolrig/sandbox";
import { openStore } from "@toolrig/store";
import type { Benchmark, Measured, Round } from "../benchmark.ts";
import { median } from "../harness.ts";

const CALLS = 200;
const number = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

let ran = 0;
const count = tool({
  name: "count",
  description: "Count up",
  input: number,
  output: { type: "integer" },
  safety: { sideEffects: "none", idempotent: true },
  execute: ({ n }) => n + ++ran - ran,
});
const save = tool({
  name: "save",
  description: "Save a number",
  input: number,
  execute: ({ n }) => n + ++ran - ran,
});

/** As long as a service next door takes. */
const ask = tool({
  name: "ask",
  description: "Ask a service",
  input: number,
  output: { type: "integer" },
  safety: { sideEffects: "read", idempotent: true },
  async execute({ n }) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return n + ++ran - ran;
  },
});
const TOOLS = [count, save, ask];

/** Wall time, because a script runs in a thread of its own; both sides take turns in one process. */
async function measure(name: string, times: number, where?: string): Promise<Measured> {
  const store = where === undefined ? undefined : openStore(where);
  const kept = store === undefined ? {} : { store };
  const scripts = runCode({ tools: TOOLS, ...kept });
  const executor = new Executor({
    tools: [...TOOLS, scripts],
    ...(store !== undefined && { ledger: store.ledger, waits: store.waits }),
  });
  const direct = async (together: boolean) => {
    const calls = Array.from({ length: CALLS }, (_, n) => ({ id: `c${n}`, name, arguments: { n } }));
    if (together) await executor.batch(calls);
    else for (const call of calls) await executor.call(call);
  };
  const script = async (code: string) => {
    const { failure } = await executor.call({ id: "s", name: "run_code", arguments: { code } });
    if (failure !== undefined) throw new Error(failure.message);
  };
  const ids = `[...Array(${CALLS}).keys()]`;
  const inTurn = `let sum = 0; for (const n of ${ids}) sum += await tools.${name}({ n }); return sum;`;
  const atOnce = `return (await Promise.all(${ids}.map((n) => tools.${name}({ n })))).length;`;
  const took = async (work: () => Promise<unknown>, expected: number) => {
    const [before, start] = [ran, performance.now()];
    await work();
    if (ran - before !== expected) throw new Error(`${ran - before} calls ran, not ${expected}.`);
    return performance.now() - start;
  };
  const samples = [];
  for (let time = -1; time < times; time++) {
    const sample = {
      direct: await took(() => direct(false), CALLS),
      batch: await took(() => direct(true), CALLS),
      inTurn: await took(() => script(inTurn), CALLS),
      atOnce: await took(() => script(atOnce), CALLS),
      empty: await took(() => script("return 1;"), 0),
    };
    if (time >= 0) samples.push(sample);
  }
  store?.close();
  const of = (value: (sample: (typeof samples)[number]) => number) => median(samples.map(value));
  return {
    inTurn: of((each) => each.inTurn / each.direct),
    atOnce: of((each) => each.atOnce / each.batch),
    microseconds: of((each) => ((each.inTurn - each.empty - each.direct) * 1_000) / CALLS),
    start: of((each) => each.empty),
  };
}

async function onDisk(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-bench-"));
  try {
    return await measure("save", 3, join(folder, "rig.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PAGES = 20;
/** A page of orders, about 3,000 characters of JSON. */
const listOrders = tool({
  name: "list_orders",
  description: "List one page of orders",
  input: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
  output: {
    type: "object",
    properties: {
      orders: {
        type: "array",
        items: {
          type: "object",
          properties: { id: { type: "string" }, customer: { type: "string" }, total: { type: "number" } },
          required: ["id", "customer", "total"],
        },
      },
    },
    required: ["orders"],
  },
  safety: { sideEffects: "read", idempotent: true },
  execute: ({ page }) => ({
    orders: Array.from({ length: 40 }, (_, index) => ({
      id: `order-${page}-${index}`,
      customer: `Customer ${(page * 40 + index) % 97}`,
      total: (page * 31 + index * 17) % 500,
    })),
  }),
});

const SUM = `let total = 0;
for (let page = 0; page < ${PAGES}; page++) {
  const { orders } = await tools.list_orders({ page });
  for (const order of orders) if (order.customer === "Customer 7") total += order.total;
}
return total;`;

/** All that a model is sent in a run, in characters: definitions and the whole conversation, once a turn. */
async function charactersSent(
  tools: readonly AnyTool[],
  reply: (request: EngineRequest, turn: number) => ScriptedReply,
): Promise<number> {
  let sent = 0;
  const engine = scriptedEngine((request, turn) => {
    sent += JSON.stringify(request.tools).length;
    for (const message of request.messages) sent += shown(message).length;
    return reply(request, turn);
  });
  const { outcome } = new AgentLoop({ engine, tools: [...tools], maxToolIterations: 100 }).run(
    "Add up the orders.",
  );
  const { status } = await outcome;
  if (status !== "answered") throw new Error(`The run ended as ${status}.`);
  return sent;
}

/** What goes to a provider of a message: of results their content, not their values and details. */
function shown(message: EngineRequest["messages"][number]): string {
  if (message.role !== "tool") return JSON.stringify(message);
  return JSON.stringify(message.results.map(({ callId, content }) => ({ callId, content })));
}

async function characters(): Promise<Measured> {
  const page = (index: number) => ({ name: "list_orders", arguments: { page: index } });
  const done = "The total is known.";
  const inTurn = await charactersSent([listOrders], (_, turn) =>
    turn > PAGES ? done : { calls: [page(turn - 1)] },
  );
  const together = await charactersSent([listOrders], (_, turn) =>
    turn > 1 ? done : { calls: Array.from({ length: PAGES }, (_, index) => page(index)) },
  );
  const script = await charactersSent([listOrders, runCode({ tools: [listOrders] })], (_, turn) =>
    turn > 1 ? done : { calls: [{ name: "run_code", arguments: { code: SUM } }] },
  );
  return { inTurn, together, script };
}

const value = (name: string, what: string) => (round: Round) => round(name)[what] ?? Number.NaN;
const saved = (what: string) => (round: Round) =>
  value("characters", what)(round) / value("characters", "script")(round);

export const benchmark: Benchmark = {
  rounds: 5,
  cases: {
    "calls that do nothing": () => measure("count", 25),
    "calls of 5 ms": () => measure("ask", 3),
    "calls that write, on disk": onDisk,
    characters,
  },
  tables: [
    {
      title: `${CALLS} calls from a script, relative to the same calls made directly`,
      rows: [
        { label: "that do nothing, one after the other", value: value("calls that do nothing", "inTurn") },
        {
          label: "of 5 ms, one after the other",
          value: value("calls of 5 ms", "inTurn"),
          goal: { atMost: 1.2 },
        },
        { label: "that do nothing, all at once", value: value("calls that do nothing", "atOnce") },
        {
          label: "that write, in a ledger on disk",
          value: value("calls that write, on disk", "inTurn"),
          goal: { atMost: 3 },
        },
        {
          label: "added to one call",
          value: value("calls that do nothing", "microseconds"),
          unit: " µs",
          goal: { atMost: 1_000 },
        },
        { label: "a script that does nothing", value: value("calls that do nothing", "start"), unit: " ms" },
      ],
    },
    {
      title: `characters sent to the model, ${PAGES} calls whose results only feed a sum`,
      rows: [
        { label: "with a script", value: value("characters", "script"), unit: " characters" },
        { label: "one call a turn", value: value("characters", "inTurn"), unit: " characters" },
        { label: "all calls in one turn", value: value("characters", "together"), unit: " characters" },
        { label: "one call a turn, relative to a script", value: saved("inTurn"), goal: { atLeast: 20 } },
        { label: "all in one turn, relative to a script", value: saved("together"), goal: { atLeast: 5 } },
      ],
    },
  ],
};
