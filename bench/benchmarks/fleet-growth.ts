import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NatsExecutor } from "@toolrig/nats";
import { startNats } from "../../scripts/start-nats.ts";
import type { Benchmark, Measured } from "../benchmark.ts";
import { ARGUMENTS } from "../fleet/workload.ts";

const CALLS = 1_000_000;
const SAMPLE = 10_000;
const WIDTH = 64;
/** Entries of the ledger come and go: by the end most calls have been forgotten again. */
const LEDGER_TTL = "20s";

async function measure(): Promise<Measured> {
  const server = await startNats({ sync: "100ms" });
  const executor = await NatsExecutor.connect({
    nats: { servers: server.url },
    fleet: { ledgerTtl: LEDGER_TTL },
    queueTimeout: "10s",
  });
  const worker = fork(join(import.meta.dirname, "../fleet/worker.ts"), ["toolrig", server.url], {
    execArgv: [],
  });
  try {
    await new Promise((resolve) => worker.once("message", resolve));
    await run(executor, SAMPLE);
    const first = await run(executor, SAMPLE);
    // Memory is full of what a TTL's worth of calls leaves, and compared from then on.
    await run(executor, CALLS / 4);
    const before = memoryOf(server.pid, worker);
    await run(executor, CALLS - CALLS / 4 - 3 * SAMPLE);
    const after = memoryOf(server.pid, worker);
    const last = await run(executor, SAMPLE);
    return {
      speed: last / first,
      server: after.server / before.server,
      worker: after.worker / before.worker,
    };
  } finally {
    await executor.close();
    worker.kill("SIGKILL");
    await server.close();
  }
}

/** Calls a second. */
async function run(executor: NatsExecutor, count: number): Promise<number> {
  const start = performance.now();
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const { failure } = await executor.call({ id: "c", name: "read_lines", arguments: ARGUMENTS });
      if (failure !== undefined) throw new Error(failure.message);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, one));
  return count / ((performance.now() - start) / 1_000);
}

function memoryOf(server: number, worker: ChildProcess): { server: number; worker: number } {
  const resident = (pid: number) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return { server: resident(server), worker: resident(worker.pid!) };
}

export const benchmark: Benchmark = {
  rounds: 1,
  cases: { growth: measure },
  tables: [
    {
      title: `${CALLS.toLocaleString("en-US")} calls through the ledger`,
      rows: [
        {
          label: `speed of the last ${SAMPLE.toLocaleString("en-US")} calls to the first`,
          value: (round) => round("growth").speed!,
          goal: { atLeast: 0.8 },
        },
        {
          label: "the server's memory at the end to that after a quarter",
          value: (round) => round("growth").server!,
          goal: { atMost: 1.3 },
        },
        {
          label: "the worker's memory at the end to that after a quarter",
          value: (round) => round("growth").worker!,
          goal: { atMost: 1.3 },
        },
      ],
    },
  ],
};
