import type { Benchmark, Measured, Table } from "../benchmark.ts";
import { median } from "../harness.ts";
import { type Kind, type Peer, start, type Transport } from "../mcp/client.ts";

const SLICES = 15;
const WARM = 3_000;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

/** CPU time of the server for one call, in ms. */
async function cpuOfACall(peer: Peer, count: number, concurrency: number): Promise<number> {
  const before = await peer.cpu();
  await peer.run(count, concurrency);
  return ((await peer.cpu()) - before) / count;
}

/** Both servers by turns: whatever slows the machine down for a while slows both. */
async function besides(transport: Transport, concurrency: number, kind: Kind = "toolrig"): Promise<Measured> {
  const bare = await start("bare", transport);
  const ours = await start(kind, transport);
  const count = concurrency === 1 ? 300 : 1_000;
  for (const peer of [bare, ours]) await peer.run(WARM, concurrency);
  const throughput: number[] = [];
  const cpu: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const theirs = await seconds(() => bare.run(count, concurrency));
    throughput.push(theirs / (await seconds(() => ours.run(count, concurrency))));
    cpu.push((await cpuOfACall(ours, count, concurrency)) / (await cpuOfACall(bare, count, concurrency)));
  }
  for (const peer of [bare, ours]) peer.stop();
  return { throughput: median(throughput), cpu: median(cpu) };
}

/** What a call and a list cost with 5,000 tools, next to one. */
async function growth(): Promise<Measured> {
  const few = await start("toolrig", "stdio", 1);
  const many = await start("toolrig", "stdio", 5_000);
  for (const peer of [few, many]) await peer.run(WARM, 64);
  const calls: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const one = await cpuOfACall(few, 1_000, 64);
    calls.push((await cpuOfACall(many, 1_000, 64)) / one);
  }
  const bare = await start("bare", "stdio", 5_000);
  for (const peer of [bare, many]) for (let time = 0; time < 5; time++) await peer.list();
  const lists: number[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const theirs = await seconds(() => bare.list());
    lists.push((await seconds(() => many.list())) / theirs);
  }
  for (const peer of [few, many, bare]) peer.stop();
  return { calls: median(calls), lists: median(lists) };
}

const CASES = {
  "stdio, 1": ["stdio", 1],
  "stdio, 64": ["stdio", 64],
  "http, 1": ["http", 1],
  "http, 64": ["http", 64],
} as const;
const NAMES = Object.keys(CASES) as (keyof typeof CASES)[];

const SQLITE = "records in SQLite, stdio, 64";

const tables: readonly Table[] = [
  {
    title:
      "calls a second of a served rig (policy, flow guard, records in memory), relative to the bare SDK server",
    rows: NAMES.map((name) => ({
      label: `${name} at a time`,
      value: (round) => round(name).throughput!,
      goal: { atLeast: 0.9 },
    })),
  },
  {
    title: "CPU time of the server for a call, relative to the bare SDK server",
    rows: [...NAMES, SQLITE].map((name) => ({
      label: `${name} at a time`,
      value: (round) => round(name).cpu!,
    })),
  },
  {
    title: "5,000 tools",
    rows: [
      {
        label: "CPU time of a call, relative to one tool",
        value: (round) => round("growth").calls!,
        goal: { atMost: 1.1 },
      },
      { label: "tools/list, relative to the bare SDK server", value: (round) => round("growth").lists! },
    ],
  },
];

export const benchmark: Benchmark = {
  rounds: 3,
  cases: {
    ...Object.fromEntries(NAMES.map((name) => [name, () => besides(CASES[name][0], CASES[name][1])])),
    [SQLITE]: () => besides("stdio", 64, "sqlite"),
    growth,
  },
  tables,
};
