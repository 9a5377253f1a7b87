/** Workers and servers of a cluster of three, killed and paused at random beneath calls of every manner. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { KvCallStore, NatsExecutor } from "@toolrig/nats";
import { type Cluster, startCluster } from "../../scripts/start-nats-cluster.ts";
import type { Verdict } from "../proof.ts";
import { Crew } from "./crew.ts";
import { MixedLoad } from "./mixed-load.ts";

const REPLICAS = 3;
const WIDTH = 64;
const STREAMS = ["AGENT", "KV_TOOL_LEDGER", "KV_AGENT_WAITS"] as const;

interface Faults {
  cluster: Cluster;
  crew: Crew;
  random(): number;
}

type Fault = (faults: Faults) => Promise<void>;

const FAULTS: Record<string, Fault> = {
  async "worker killed"({ crew, random }) {
    pick(crew.members, random)?.kill("SIGKILL");
    await pause(500);
  },
  async "worker paused past its ack wait"({ crew, random }) {
    const paused = pick(crew.members, random);
    paused?.kill("SIGSTOP");
    await pause(2_500);
    paused?.kill("SIGCONT");
  },
  async "leader killed"({ cluster, random }) {
    const leader = await cluster.leaderOf(pick(STREAMS, random) ?? "AGENT");
    await leader.kill("SIGKILL");
    await pause(1_000);
    await leader.restart();
    await pause(1_000);
  },
};

/** Until as many faults have happened and as many calls are over: 200 (`FAULTS`) and 20,000 (`CALLS`), by the numbers of a `SEED`. */
export async function onThreeReplicas(print: (line: string) => void): Promise<Verdict> {
  const most = Number(process.env.FAULTS ?? 200);
  const size = Number(process.env.CALLS ?? 20_000);
  const seed = Number(process.env.SEED ?? 1);
  const folder = mkdtempSync(join(tmpdir(), "toolrig-replicated-"));
  writeFileSync(join(folder, "effects"), "");
  const cluster = await startCluster();
  const nats = { servers: cluster.urls, reconnectTimeWait: 100, maxReconnectAttempts: -1 };
  const program = join(import.meta.dirname, "mixed-worker.ts");
  const crew = new Crew(cluster.urls.join(), folder, { REPLICAS: String(REPLICAS) }, program);
  const fleet = { ackWait: "1s", replicas: REPLICAS } as const;
  const executor = await NatsExecutor.connect({ nats, fleet, queueTimeout: "120s" });
  const load = await MixedLoad.open(executor, cluster.urls);
  const wire = await connect(nats);
  try {
    await crew.resize(3);
    const random = randomFrom(seed);
    let left = most;
    const running = load.run(WIDTH, () => left > 0 || load.made.length < size);
    const names = Object.keys(FAULTS);
    for (; left > 0; left--) {
      await pause(random() * 1_000);
      await FAULTS[pick(names, random) ?? ""]?.({ cluster, crew, random });
    }
    await running;
    // What workers were given up for is recorded by then.
    await pause(3_000);
    const misses = await load.misses(folder, new KvCallStore(wire, { replicas: REPLICAS }));
    print(`on three replicas, seed ${seed}: ${most} faults, ${crew.deaths} workers lost; ${load.summary()}`);
    for (const [kind, found] of Object.entries(misses)) {
      print(`  ${kind.padEnd(34)} ${found.length}`);
      for (const each of found.slice(0, 5)) print(`MISS ${kind}: ${each}`);
    }
    const failed = Object.values(misses).flat().length;
    return { passed: load.made.length - failed, failed };
  } finally {
    await crew.dismiss();
    await load.close();
    await executor.close();
    await wire.close();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function pick<T>(among: readonly T[], random: () => number): T | undefined {
  return among[Math.floor(random() * among.length)];
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
