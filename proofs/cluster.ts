/** Three servers as one cluster, the leaders of queue and ledger killed under load: the same counts as chaos. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsExecutor } from "@toolrig/nats";
import { type Cluster, startCluster } from "../scripts/start-nats-cluster.ts";
import { Crew } from "./fleet/crew.ts";
import { Tally } from "./fleet/tally.ts";
import type { Proof } from "./proof.ts";

const REPLICAS = 3;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function killLeader(cluster: Cluster, stream: string): Promise<void> {
  const leader = await cluster.leaderOf(stream);
  await leader.kill("SIGKILL");
  await pause(1_000);
  await leader.restart();
}

const SCENES: Record<string, (cluster: Cluster, tally: Tally, size: number) => Promise<void>> = {
  async "nothing happens"(_cluster, tally, size) {
    await tally.load(size, 32);
  },
  async "leader of the queue killed"(cluster, tally, size) {
    const load = tally.load(size, 32);
    await pause(300);
    await killLeader(cluster, "AGENT");
    await load;
  },
  async "leader of the ledger killed"(cluster, tally, size) {
    const load = tally.load(size, 32);
    await pause(300);
    await killLeader(cluster, "KV_TOOL_LEDGER");
    await load;
  },
};

export const proof: Proof = {
  name: "cluster",
  claim: "In a cluster of three, killing the leader under load costs no result and repeats no effect",
  async run(mode, print) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-cluster-"));
    const cluster = await startCluster();
    const servers = cluster.urls;
    const executor = await NatsExecutor.connect({
      nats: { servers },
      fleet: { ackWait: "1s", replicas: REPLICAS },
      queueTimeout: "120s",
    });
    const crew = new Crew(servers.join(","), folder, { REPLICAS: String(REPLICAS) });
    const tally = new Tally(executor);
    try {
      await crew.resize(2);
      for (let round = 0; round < (mode === "full" ? 3 : 1); round++) {
        for (const [title, play] of Object.entries(SCENES)) {
          const before = tally.asked.length;
          await play(cluster, tally, mode === "full" ? 1_000 : 100);
          print(`${title.padEnd(32)} ${String(tally.asked.length - before).padStart(6)} calls`);
        }
      }
      const misses = tally.misses(folder);
      print(tally.summary());
      for (const miss of misses) print(`MISS ${miss}`);
      return { passed: tally.asked.length - misses.length, failed: misses.length };
    } finally {
      await crew.dismiss();
      await executor.close();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
