/** Three nats-server processes that form one cluster. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { HANG_MS } from "./hang-limit.ts";
import { freePort, type NatsProcess, startNats } from "./start-nats.ts";

export interface Cluster {
  urls: string[];
  /** The process that leads a stream at the moment. */
  leaderOf(stream: string): Promise<NatsProcess>;
  close(): Promise<void>;
}

const SIZE = 3;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the cluster takes streams of three replicas. */
export async function startCluster(): Promise<Cluster> {
  const routePorts = await Promise.all(Array.from({ length: SIZE }, freePort));
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`).join(", ");
  const servers = await Promise.all(
    routePorts.map((port) =>
      startNats({ extra: `cluster { name: "toolrig", listen: "127.0.0.1:${port}", routes: [${routes}] }` }),
    ),
  );
  const urls = servers.map(({ url }) => url);
  await eventually("the cluster to take streams", async () => {
    const connection = await connect({ servers: urls, timeout: 2_000 });
    try {
      const manager = await jetstreamManager(connection);
      await manager.streams.add({ name: "READY", subjects: ["ready"], num_replicas: SIZE });
      await manager.streams.delete("READY");
      return true;
    } finally {
      await connection.close();
    }
  });
  return {
    urls,
    leaderOf: (stream) =>
      eventually(`a leader of ${stream}`, async () => {
        const connection = await connect({ servers: urls, timeout: 2_000 });
        try {
          const manager = await jetstreamManager(connection);
          const leader = (await manager.streams.info(stream)).cluster?.leader;
          return servers.find(({ port }) => leader === `n${port}`);
        } finally {
          await connection.close();
        }
      }),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + HANG_MS;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${HANG_MS} ms for ${what} in vain.`);
    await pause(200);
  }
}
