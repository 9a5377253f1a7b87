import { fork } from "node:child_process";
import { join } from "node:path";
import { startNats } from "../../scripts/start-nats.ts";
import type { Benchmark, Measured, Round } from "../benchmark.ts";
import { CALLERS, type Call } from "../fleet/caller.ts";
import { redisMissing, startRedis } from "../fleet/redis-server.ts";

const WIDTHS = [1, 64, 256] as const;
/** Fleets run for days: a system is measured when its code has been compiled, not while it is. */
const COMPILE_MS = 5_000;
const WARM_MS = 700;
const MEASURE_MS = 1_500;

/** What carries the calls of a system. */
const SYSTEMS = {
  "core request/reply": { caller: "core", sync: undefined },
  "core request/reply, without stack traces": { caller: "tuned", sync: undefined },
  "JetStream call, core result": { caller: "jetstream", sync: undefined },
  "Toolrig's protocol by hand": { caller: "protocol", sync: undefined },
  "Toolrig, default sync": { caller: "toolrig", sync: undefined },
  "Toolrig, sync every second": { caller: "toolrig", sync: "1s" },
  "BullMQ, AOF every second": { caller: "bullmq", sync: undefined },
} as const;

type System = keyof typeof SYSTEMS;

/** Caller, worker and server are processes of their own; this one is the caller. Empty when a system cannot run here. */
async function measure(name: System): Promise<Measured> {
  const { caller, sync } = SYSTEMS[name];
  if (caller === "bullmq") {
    const missing = redisMissing();
    if (missing !== undefined) {
      console.error(`BullMQ is left out: ${missing}.`);
      return {};
    }
  }
  const server =
    caller === "bullmq" ? await startRedis() : await startNats(sync === undefined ? {} : { sync });
  const url = `${caller === "bullmq" ? "redis" : "nats"}://127.0.0.1:${server.port}`;
  const worker = fork(join(import.meta.dirname, "../fleet/worker.ts"), [caller, url], { execArgv: [] });
  try {
    await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("exit", () => reject(new Error(`The worker of ${name} ended.`)));
    });
    const call = await CALLERS[caller]!(url);
    const measured: Record<string, number> = {};
    await loop(call, 64, COMPILE_MS);
    for (const width of WIDTHS) Object.assign(measured, await loop(call, width));
    return measured;
  } finally {
    worker.kill("SIGKILL");
    await server.close();
  }
}

/** Keeps `width` calls in flight; the rate and the median latency after a warm-up. */
async function loop(call: Call, width: number, warmMs = WARM_MS): Promise<Measured> {
  const latencies: number[] = [];
  const start = performance.now();
  const from = start + warmMs;
  const until = from + MEASURE_MS;
  const one = async () => {
    for (let began = performance.now(); began < until; began = performance.now()) {
      await call();
      const ended = performance.now();
      if (ended >= from && ended < until) latencies.push(ended - began);
    }
  };
  await Promise.all(Array.from({ length: width }, one));
  latencies.sort((a, b) => a - b);
  return {
    [`rate${width}`]: latencies.length / (MEASURE_MS / 1_000),
    [`p50at${width}`]: latencies[latencies.length >> 1] ?? Number.NaN,
  };
}

const ours = "Toolrig, default sync";
const synced = "Toolrig, sync every second";

function ratio(value: string, of: System, to: System): (round: Round) => number {
  return (round) => (round(of)[value] ?? Number.NaN) / (round(to)[value] ?? Number.NaN);
}

export const benchmark: Benchmark = {
  rounds: 5,
  cases: Object.fromEntries((Object.keys(SYSTEMS) as System[]).map((name) => [name, () => measure(name)])),
  tables: [
    ...WIDTHS.map((width) => ({
      title: `Calls a second, ${width} in flight`,
      rows: [
        ...(Object.keys(SYSTEMS) as System[]).map((name) => ({
          label: name,
          value: (round: Round) => round(name)[`rate${width}`] ?? Number.NaN,
          unit: "/s",
        })),
        {
          label: "Toolrig to core request/reply",
          value: ratio(`rate${width}`, ours, "core request/reply"),
        },
        {
          label: "Toolrig to core request/reply, without stack traces",
          value: ratio(`rate${width}`, ours, "core request/reply, without stack traces"),
        },
        {
          label: "Toolrig to JetStream call, core result",
          value: ratio(`rate${width}`, ours, "JetStream call, core result"),
        },
        {
          label: "Toolrig to its protocol by hand",
          value: ratio(`rate${width}`, ours, "Toolrig's protocol by hand"),
          ...(width > 1 && { goal: { atLeast: 0.8 } }),
        },
        {
          label: "its protocol by hand to core request/reply",
          value: ratio(`rate${width}`, "Toolrig's protocol by hand", "core request/reply"),
        },
        {
          label: "Toolrig, sync every second, to BullMQ",
          value: ratio(`rate${width}`, synced, "BullMQ, AOF every second"),
          ...(width > 1 && { goal: { atLeast: 4 } }),
        },
      ],
    })),
    {
      title: "Latency, 1 in flight",
      rows: [
        {
          label: "Toolrig's median to BullMQ's",
          value: ratio("p50at1", synced, "BullMQ, AOF every second"),
          goal: { atMost: 0.5 },
        },
        {
          label: "its protocol by hand to BullMQ's",
          value: ratio("p50at1", "Toolrig's protocol by hand", "BullMQ, AOF every second"),
        },
      ],
    },
  ],
};
