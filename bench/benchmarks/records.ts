import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CallRecord, Executor, tool } from "@toolrig/core";
import { openStore, type Store } from "@toolrig/store";
import type { Benchmark, Measured, Table } from "../benchmark.ts";
import { compare, cpuTime, median } from "../harness.ts";
import { recordOf, START, TOOLS } from "../records-workload.ts";

const MANY = 1_000_000;
/** What the recorder hands over at once. */
const BATCH = 100;
/** Stretches of inserts whose cost is compared. */
const STRETCH = 20_000;
const QUERIES = 30;

async function withFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Fills a store with a million records, then asks it. All times are CPU time: a busy machine does not count. */
function measureMillion(): Promise<Measured> {
  return withFolder((folder) => {
    const path = join(folder, "rig.db");
    const store = openStore(path);
    const costs: number[] = [];
    for (let from = 0; from < MANY; from += STRETCH) costs.push(insert(store, from));
    const measured = { ...rates(costs), ...asked(store) };
    store.close();
    return { ...measured, bytes: statSync(path).size / MANY, bareBytes: bareSize(folder) };
  });
}

/** CPU ms of one insert, over one stretch of records that are made before the clock starts. */
function insert(store: Store, from: number): number {
  const batches = Array.from({ length: STRETCH / BATCH }, (_, batch) =>
    Array.from({ length: BATCH }, (_, index) => recordOf(from + batch * BATCH + index)),
  );
  const before = cpuTime();
  for (const batch of batches) store.records.store(batch);
  return (cpuTime() - before) / STRETCH;
}

function rates(costs: readonly number[]): Measured {
  const early = median(costs.slice(0, 10));
  const late = median(costs.slice(-10));
  return { perSecond: 1_000 / median(costs), growth: late / early };
}

/** The slowest of several questions of each kind, in CPU ms. */
function asked(store: Store): Measured {
  const { records } = store;
  const at = (share: number) => START + MANY * 10 * share;
  const slowest = (ask: (round: number) => { records: unknown[] }) => {
    const costs = Array.from({ length: QUERIES }, (_, round) => {
      const before = cpuTime();
      if (ask(round).records.length === 0) throw new Error("A question found nothing.");
      return cpuTime() - before;
    });
    return Math.max(...costs);
  };
  const spread = (round: number) => Math.floor((round * MANY) / QUERIES);
  const wordsOf = (round: number) => (recordOf(spread(round)).args as { query: string }).query.split(" ");
  return {
    byToolAndTime: slowest((round) => {
      const since = at(round / QUERIES);
      return records.query({ tool: TOOLS[round % TOOLS.length]!, since, until: since + 3_600_000 });
    }),
    byKind: slowest(() => records.query({ kind: "transient" })),
    byRun: slowest((round) => records.query({ runId: recordOf(spread(round)).runId! })),
    byPath: slowest((round) => records.query({ path: `/srv/app/${round * 10}` })),
    oneWord: slowest((round) => records.query({ text: wordsOf(round)[0]! })),
    twoWords: slowest((round) => records.query({ text: wordsOf(round).slice(0, 2).join(" ") })),
    rareWord: slowest((round) => records.query({ text: `number${spread(round)}` })),
    textAndTool: slowest((round) =>
      records.query({ text: wordsOf(round)[0]!, tool: recordOf(spread(round)).name }),
    ),
    deepPage: slowest((round) => records.query({ cursor: `seq:${1_000 + round}` })),
  };
}

/** What the same records take as bare JSON text in SQLite, without anything to find or verify them by. */
function bareSize(folder: string): number {
  const path = join(folder, "bare.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE bare (seq INTEGER PRIMARY KEY, body TEXT); BEGIN");
  const put = database.prepare("INSERT INTO bare (body) VALUES (?)");
  for (let index = 0; index < STRETCH; index++) put.run(JSON.stringify(recordOf(index)));
  database.exec("COMMIT");
  database.close();
  return statSync(path).size / STRETCH;
}

/** Storing the same batches in the store and, as text only, in bare SQLite. */
function measureInsert(): Promise<Measured> {
  return withFolder(async (folder) => {
    const store = openStore(join(folder, "rig.db"));
    const bare = new DatabaseSync(join(folder, "bare.db"));
    bare.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    bare.exec("CREATE TABLE bare (seq INTEGER PRIMARY KEY, body TEXT)");
    const put = bare.prepare("INSERT INTO bare (body) VALUES (?)");
    const batches = Array.from({ length: 100 }, (_, batch) =>
      Array.from({ length: BATCH }, (_, index) => recordOf(batch * BATCH + index)),
    );
    const each = (store: (batch: readonly CallRecord[]) => void) => (count: number) => {
      for (let index = 0; index < count; index++) store(batches[index % batches.length]!);
    };
    const measured = await compare({
      bare: each((batch) => {
        bare.exec("BEGIN IMMEDIATE");
        for (const record of batch) put.run(JSON.stringify(record));
        bare.exec("COMMIT");
      }),
      store: each((batch) => store.records.store(batch)),
    });
    bare.close();
    store.close();
    return measured;
  });
}

const INPUT = { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const;

/** One tool that computes for a millisecond and one that waits for one, each with recording and without. */
function measureRecording(): Promise<Measured> {
  return withFolder(async (folder) => {
    const store = openStore(join(folder, "rig.db"));
    const tools = [
      tool({
        name: "compute",
        description: "Computes for a millisecond",
        input: INPUT,
        safety: { sideEffects: "none", idempotent: true },
        execute({ query }) {
          const until = cpuTime() + 1;
          while (cpuTime() < until);
          return { query, hits: [1, 2, 3] };
        },
      }),
      tool({
        name: "wait",
        description: "Waits for a millisecond",
        input: INPUT,
        safety: { sideEffects: "none", idempotent: true },
        async execute({ query }) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return { query, hits: [1, 2, 3] };
        },
      }),
    ];
    const off = new Executor({ tools });
    const on = new Executor({ tools, store: store.records });
    const calls = (executor: Executor, name: string) => async (count: number) => {
      for (let index = 0; index < count; index++) {
        await executor.call({ id: `call_${index}`, name, arguments: `{"query":"number ${index}"}` });
      }
    };
    const computing = await compare(
      {
        off: calls(off, "compute"),
        on: async (count) => {
          await calls(on, "compute")(count);
          await new Promise((resolve) => setTimeout(resolve, 30));
        },
      },
      { sliceMs: 200 },
    );
    const waiting = await wallRatio(calls(off, "wait"), calls(on, "wait"));
    await on.drain();
    if (on.health().recordsDropped > 0) throw new Error("Records were dropped.");
    store.close();
    return { computing: 1 / computing.on!, waiting: 1 / waiting };
  });
}

/** Waiting takes no CPU time, so here the clock on the wall counts; slices take turns. */
async function wallRatio(off: (count: number) => unknown, on: (count: number) => unknown): Promise<number> {
  const slice = async (run: (count: number) => unknown) => {
    const before = performance.now();
    await run(100);
    return performance.now() - before;
  };
  const ratios: number[] = [];
  for (let index = 0; index < 20; index++) {
    const base = await slice(off);
    ratios.push((await slice(on)) / base);
  }
  return median(ratios.slice(2));
}

const tables: readonly Table[] = [
  {
    title: "A million records",
    rows: [
      { label: "inserts a second of CPU time", value: (round) => round("million").perSecond!, unit: "/s" },
      { label: "an insert, to bare text in SQLite", value: (round) => round("insert").store! },
      {
        label: "the last inserts, to the first",
        value: (round) => round("million").growth!,
        goal: { atMost: 1.5 },
      },
      { label: "size of a record", value: (round) => round("million").bytes!, unit: " B" },
      {
        label: "size of a record, to bare text in SQLite",
        value: (round) => round("million").bytes! / round("million").bareBytes!,
      },
    ],
  },
  {
    title: "Questions to a million records, the slowest of 30 each",
    rows: [
      ["by tool and time", "byToolAndTime", 50],
      ["by kind of failure", "byKind", 50],
      ["by run", "byRun", 50],
      ["by folder of an effect", "byPath", 50],
      ["a page far down", "deepPage", 50],
      ["one common word", "oneWord", 200],
      ["two common words", "twoWords", 200],
      ["a rare word", "rareWord", 200],
      ["a word, of one tool", "textAndTool", 200],
    ].map(([label, name, atMost]) => ({
      label: label as string,
      value: (round) => round("million")[name as string]!,
      unit: " ms",
      goal: { atMost: atMost as number },
    })),
  },
  {
    title: "Throughput with recording, to without",
    rows: [
      {
        label: "a tool that computes for 1 ms",
        value: (round) => round("recording").computing!,
        goal: { atLeast: 0.9 },
      },
      {
        label: "a tool that waits for 1 ms",
        value: (round) => round("recording").waiting!,
        goal: { atLeast: 0.9 },
      },
    ],
  },
];

export const benchmark: Benchmark = {
  rounds: 1,
  cases: { million: measureMillion, insert: measureInsert, recording: measureRecording },
  tables,
};
