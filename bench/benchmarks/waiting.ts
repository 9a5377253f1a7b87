import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deferred, Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import type { Benchmark, Measured, Round } from "../benchmark.ts";
import { cpuTime, median } from "../harness.ts";

const FEW = 100;
const MANY = 100_000;
const AT_ONCE = 500;
const SAMPLES = 60;
const STARTS = 15;

const deploy = tool({
  name: "deploy",
  description: "Deploy",
  input: { type: "object", properties: { site: { type: "string" } } },
  wait: { expires: "7d" },
  execute: (_, { executionId }) => deferred({ ref: executionId, note: "the pipeline runs" }),
});

function open(path: string) {
  const store = openStore(path);
  const executor = new Executor({
    tools: [deploy],
    ledger: store.ledger,
    waits: store.waits,
    store: store.records,
  });
  return { store, executor };
}

/** Parks so many calls, starts anew, and completes some of them. CPU time, so that a busy machine does not count. */
async function measure(count: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-bench-"));
  const path = join(folder, "rig.db");
  try {
    await parkAll(path, count);
    const empty = await memoryOf(join(folder, "empty.db"));
    const memory = await memoryOf(path);
    const starts: number[] = [];
    for (let start = 0; start < STARTS; start++) starts.push(await startCost(path));
    return { restart: median(starts), memory: memory - empty, completion: await completionCost(path, count) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function parkAll(path: string, count: number): Promise<void> {
  const { store, executor } = open(path);
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) =>
        executor.call(
          { id: "c", name: "deploy", arguments: { site: "docs" } },
          { executionId: `exec_${from + index}`, onWaiting: "return" },
        ),
      ),
    );
  await executor.drain();
  store.close();
}

/** Opening the store, and one look at what is due. */
async function startCost(path: string): Promise<number> {
  const before = cpuTime();
  const { store, executor } = open(path);
  executor.waits.start();
  await store.waits.due(Date.now(), 16);
  store.waits.counts();
  const cost = cpuTime() - before;
  await executor.drain();
  store.close();
  return cost;
}

/** Kilobytes of a process that looks after them. */
async function memoryOf(path: string): Promise<number> {
  const { store, executor } = open(path);
  executor.waits.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  await executor.drain();
  store.close();
  return (heapUsed + external) / 1_024;
}

async function completionCost(path: string, count: number): Promise<number> {
  const { store, executor } = open(path);
  const costs: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const executionId = `exec_${Math.floor((sample * count) / SAMPLES)}`;
    const before = cpuTime();
    await executor.waits.complete(executionId, { by: { id: "ada" } }, "live");
    costs.push(cpuTime() - before);
  }
  await executor.drain();
  store.close();
  return median(costs);
}

const ratio = (what: string) => (round: Round) =>
  (round("100,000 parked")[what] ?? Number.NaN) / (round("100 parked")[what] ?? Number.NaN);

export const benchmark: Benchmark = {
  rounds: 3,
  cases: { "100 parked": () => measure(FEW), "100,000 parked": () => measure(MANY) },
  tables: [
    {
      title: "100,000 parked calls to 100",
      rows: [
        { label: "one completion", value: ratio("completion"), goal: { atMost: 1.2 } },
        { label: "a restart", value: ratio("restart"), goal: { atMost: 1.2 } },
      ],
    },
    {
      title: "Memory beyond that of an empty store",
      rows: [
        { label: "100 parked", value: (round) => round("100 parked").memory ?? Number.NaN, unit: " KB" },
        {
          label: "100,000 parked",
          value: (round) => round("100,000 parked").memory ?? Number.NaN,
          unit: " KB",
          goal: { atMost: 1_000 },
        },
      ],
    },
  ],
};
