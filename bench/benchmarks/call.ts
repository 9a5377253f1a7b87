import {
  breakerGuard,
  budgetGuard,
  Executor,
  type ExecutorOptions,
  InformationFlow,
  planFirst,
  policyGuard,
  protectedPaths,
  Registry,
  readBeforeWrite,
  repeatGuard,
  tool,
  verifyAfterEffects,
} from "@toolrig/core";
import { telemetry } from "@toolrig/telemetry";
import type { Benchmark, Measured, Round, Row, Table } from "../benchmark.ts";
import { compare, liveHeap, type Subject } from "../harness.ts";
import type { Peer } from "../peers/peer.ts";
import { rawCall } from "../peers/raw.ts";
import {
  callsOf,
  FINAL,
  type ScriptedCall,
  type Task,
  timesRan,
  trivial,
  twelveFields,
} from "../workload.ts";

const WIDTH = 64;
const MANY_TOOLS = 10_000;
const MANY_CALLS = 100_000;
const HARMLESS = { sideEffects: "none", idempotent: true } as const;

/** Nine guards as they are used, and one of the program's own. */
const TEN_GUARDS = [
  policyGuard({ rules: [{ when: { tool: "delete_*" }, verdict: "deny" }] }),
  budgetGuard({ callsPerRun: 1e12, callsPerTurn: 1_000 }),
  breakerGuard(),
  repeatGuard(),
  new InformationFlow().guard,
  protectedPaths({ paths: [".git/**"] }),
  readBeforeWrite({ readers: ["read_file"], writers: ["write_file"] }),
  planFirst({ planner: "make_plan" }),
  verifyAfterEffects({ paths: ["src/**"], verify: async () => undefined }),
  { name: "own", before: () => undefined, after: () => undefined },
];

/** What the executor under test does beyond the plain path. */
const VARIANTS = {
  plain: { safety: HARMLESS, options: {} },
  listener: { safety: HARMLESS, options: { events: () => {} } },
  telemetry: { safety: HARMLESS, options: { tracer: telemetry() } },
  ledger: { safety: undefined, options: {} },
  guards: { safety: HARMLESS, options: { guards: TEN_GUARDS } },
} as const satisfies Record<string, { safety: typeof HARMLESS | undefined; options: ExecutorOptions }>;

type Variant = keyof typeof VARIANTS;

function toolOf({ description, jsonSchema, name, run }: Task, safety?: typeof HARMLESS, as = name) {
  return tool({ name: as, description, input: jsonSchema, execute: run, ...(safety && { safety }) });
}

function executorOf(task: Task, variant: Variant): Executor {
  const { safety, options } = VARIANTS[variant];
  return new Executor({ tools: [toolOf(task, safety)], ...options });
}

/** One call after the other. */
function oneByOne(calls: readonly ScriptedCall[], run: (call: ScriptedCall) => Promise<unknown>): Subject {
  return counted(1, async (count) => {
    for (let index = 0; index < count; index++) await run(calls[index % calls.length]!);
  });
}

/** Batches of all calls; the cost is that of a batch. */
function together(
  calls: readonly ScriptedCall[],
  run: (calls: readonly ScriptedCall[]) => Promise<unknown>,
): Subject {
  return counted(calls.length, async (count) => {
    for (let index = 0; index < count; index++) await run(calls);
  });
}

/** Makes sure that an operation runs its tool as often as it should. */
function counted(calls: number, subject: (count: number) => Promise<void>): Subject {
  return async (count) => {
    const before = timesRan();
    await subject(count);
    const ran = timesRan() - before;
    if (ran !== count * calls) throw new Error(`The tool ran ${ran} times instead of ${count * calls}.`);
  };
}

function rawSubjects(task: Task, calls: readonly ScriptedCall[]) {
  const raw = rawCall(task);
  return { raw: oneByOne(calls, raw), rawBatch: together(calls, (each) => Promise.all(each.map(raw))) };
}

async function measureToolrig(task: Task, variant: Variant): Promise<Measured> {
  const calls = callsOf(task, WIDTH);
  const executor = executorOf(task, variant);
  const first = await executor.call(calls[0]!);
  if (first.isError) throw new Error(`The call failed: ${first.failure?.message}`);
  return compare({
    ...rawSubjects(task, calls),
    call: callOf(executor, calls),
    batch: together(calls, (each) => executor.batch(each)),
  });
}

/**
 * A peer's tool execution is not callable on its own, so whole conversations of one turn are measured: with one call,
 * with 64, and without any. The last is taken off the others, so that only what the calls add counts.
 */
async function measurePeer(task: Task, load: () => Promise<Peer>): Promise<Measured> {
  const play = (await load())([task]);
  const calls = callsOf(task, WIDTH);
  const one = { calls: calls.slice(0, 1) };
  const all = { calls };
  const turn = (count: number, reply: { calls: readonly ScriptedCall[] } | typeof FINAL) =>
    counted(count, async (times) => {
      for (let index = 0; index < times; index++) await play(() => reply, 1);
    });
  return compare({
    ...rawSubjects(task, calls),
    none: turn(0, FINAL),
    call: turn(1, one),
    batch: turn(WIDTH, all),
  });
}

/** What a lookup and a call cost with 10,000 tools instead of one, and a call after 100,000 others. */
async function measureGrowth(): Promise<Measured> {
  const names = Array.from({ length: MANY_TOOLS }, (_, index) => `tool_${index}`);
  const many = new Registry(names.map((name) => toolOf(trivial, HARMLESS, name)));
  const spread = callsOf(trivial, WIDTH).map((call, index) => ({
    ...call,
    name: names[Math.floor((index * MANY_TOOLS) / WIDTH)]!,
  }));
  const singles = spread.map(({ name }) => new Registry([toolOf(trivial, HARMLESS, name)]));
  const one = singles[0]!;
  const same = spread.map((call) => ({ ...call, name: spread[0]!.name }));
  const lookups = await compare({
    one: lookup((index) => singles[index]!, spread),
    many: lookup(() => many, spread),
  });
  const used = new Executor({ tools: one });
  await callOf(used, same)(MANY_CALLS);
  const calls = await compare({
    one: callOf(new Executor({ tools: one }), same),
    many: callOf(new Executor({ tools: many }), same),
    spread: callOf(new Executor({ tools: many }), spread),
    used: callOf(used, same),
  });
  return { lookup: lookups.many!, call: calls.many!, spread: calls.spread!, used: calls.used! };
}

function callOf(executor: Executor, calls: readonly ScriptedCall[]): Subject {
  return oneByOne(calls, (call) => executor.call(call));
}

/** Both sides look for the same 64 names, one in 64 registries of one tool each, the other in one of 10,000. */
function lookup(registryOf: (index: number) => Registry, calls: readonly ScriptedCall[]): Subject {
  return (count) => {
    for (let index = 0; index < count; index++) {
      const at = index % WIDTH;
      if (registryOf(at).get(calls[at]!.name) === undefined) throw new Error("A tool was not found.");
    }
  };
}

/** Bytes still on the heap per call, between the 100th and the 100,000th call of an executor that is warm. */
async function measureHeap(): Promise<Measured> {
  const calls = callsOf(trivial, WIDTH);
  const keptPerCall = async (variant: Variant) => {
    const executor = executorOf(trivial, variant);
    const run = callOf(executor, calls);
    await run(20_000);
    await run(100);
    const before = liveHeap();
    await run(MANY_CALLS - 100);
    return (liveHeap() - before) / (MANY_CALLS - 100);
  };
  return { plain: await keptPerCall("plain"), ledger: await keptPerCall("ledger") };
}

const PEERS: Readonly<Record<string, () => Promise<Peer>>> = {
  "AI SDK": async () => (await import("../peers/ai-sdk.ts")).aiSdk,
  "pi-agent-core": async () => (await import("../peers/pi.ts")).pi,
};

const TASKS = {
  trivial: { task: trivial, title: "Trivial tool", goal: { atMost: 8 } },
  twelve: { task: twelveFields, title: "Tool with 12 fields", goal: { atMost: 2 } },
} as const;

const AGAINST_PEERS = { atLeast: 10 };

function casesOf(id: keyof typeof TASKS): [string, () => Promise<Measured>][] {
  const { task } = TASKS[id];
  const variants = Object.keys(VARIANTS) as Variant[];
  return [
    ...variants.map((each): [string, () => Promise<Measured>] => [
      `${id}, ${each}`,
      () => measureToolrig(task, each),
    ]),
    ...Object.entries(PEERS).map(([name, load]): [string, () => Promise<Measured>] => [
      `${id}, ${name}`,
      () => measurePeer(task, load),
    ]),
  ];
}

/** What Toolrig takes for a call, alone and in a batch, in units of raw calls. */
function ours(round: Round, id: string, variant: Variant = "plain"): Record<Shape, number> {
  const { call, batch, rawBatch } = round(`${id}, ${variant}`) as Record<Subjects, number>;
  return { call, batch: batch / rawBatch };
}

/** The same for a peer: its whole turn, shared out among the turn's calls, or only what the calls add to a turn. */
function theirs(round: Round, id: string, name: string, part: "turn" | "added"): Record<Shape, number> {
  const { none, call, batch, rawBatch } = round(`${id}, ${name}`) as Record<Subjects, number>;
  const off = part === "added" ? none : 0;
  return { call: call - off, batch: (batch - off) / rawBatch };
}

type Shape = "call" | "batch";
type Subjects = Shape | "none" | "rawBatch";

function tableOf(id: keyof typeof TASKS, shape: Shape): Table {
  const { title, goal } = TASKS[id];
  const against = (name: string, part: "turn" | "added") => (round: Round) =>
    theirs(round, id, name, part)[shape] / ours(round, id)[shape];
  return {
    title: `${title}, ${shape === "call" ? "one call" : `batch of ${WIDTH}, per call`}`,
    rows: [
      { label: "Toolrig to raw", value: (round) => ours(round, id)[shape], goal },
      { label: "  with an event listener", value: (round) => ours(round, id, "listener")[shape] },
      {
        label: "  with telemetry, spans going nowhere",
        value: (round) => ours(round, id, "telemetry")[shape],
      },
      { label: "  with undeclared safety (ledger)", value: (round) => ours(round, id, "ledger")[shape] },
      {
        label: "Toolrig with 10 guards to without",
        value: (round) => ours(round, id, "guards")[shape] / ours(round, id)[shape],
        ...(id === "twelve" && shape === "call" && { goal: { atMost: 1.2 } }),
      },
      ...Object.keys(PEERS).flatMap((name): Row[] => [
        {
          label: `${name} to Toolrig, whole turn`,
          value: against(name, "turn"),
          goal: AGAINST_PEERS,
        },
        { label: `${name} to Toolrig, added to an empty turn`, value: against(name, "added") },
      ]),
    ],
  };
}

/** A hash table of one entry has nothing to walk past; a full one has, but no more the fuller it gets. */
const CONSTANT = { atMost: 2 };
const FLAT = { atMost: 1.2 };
/** Less than the smallest object a call could leave behind. */
const NOTHING_KEPT = { atMost: 8 };

export const benchmark: Benchmark = {
  rounds: 5,
  cases: {
    ...Object.fromEntries([...casesOf("trivial"), ...casesOf("twelve")]),
    growth: measureGrowth,
    heap: measureHeap,
  },
  tables: [
    tableOf("trivial", "call"),
    tableOf("trivial", "batch"),
    tableOf("twelve", "call"),
    tableOf("twelve", "batch"),
    {
      title: "Growth",
      rows: [
        {
          label: "registry lookup, 10,000 tools to 1",
          value: (round) => round("growth").lookup!,
          goal: CONSTANT,
        },
        { label: "call, 10,000 tools to 1", value: (round) => round("growth").call!, goal: FLAT },
        { label: "call, 64 different of 10,000 tools to 1", value: (round) => round("growth").spread! },
        {
          label: "call after 100,000 calls to the first ones",
          value: (round) => round("growth").used!,
          goal: FLAT,
        },
        {
          label: "heap kept, 100 to 100,000 calls",
          value: (round) => round("heap").plain!,
          goal: NOTHING_KEPT,
          unit: " B/call",
        },
        {
          label: "heap kept, undeclared safety (ledger)",
          value: (round) => round("heap").ledger!,
          goal: NOTHING_KEPT,
          unit: " B/call",
        },
      ],
    },
  ],
};
