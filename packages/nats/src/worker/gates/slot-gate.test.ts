import { tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCluster } from "../../../../../scripts/start-nats-cluster.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import { NatsWorker } from "../worker.ts";

const fleet = { ackWait: "600ms", replicas: 3 } as const;
let cluster: Awaited<ReturnType<typeof startCluster>>;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.close());

test("calls longer than the lease of their slots do not exceed a tool's concurrency, on three replicas", async () => {
  let [now, most] = [0, 0];
  const slow = tool({
    name: "slow",
    description: "Takes its time",
    input: { type: "object" },
    concurrency: 2,
    async execute() {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      now -= 1;
      return "ok";
    },
  });
  const nats = { servers: cluster.urls };
  const config = { priorities: true };
  const workers = [1, 2].map(() => new NatsWorker({ nats, tools: [slow], fleet, config }));
  for (const worker of workers) await worker.start();
  const executor = await NatsExecutor.connect({ nats, fleet });
  const calls = (["high", "normal", "low", "high", "normal", "low"] as const).map((priority, index) =>
    executor.call({ id: `c${index}`, name: "slow", arguments: {} }, { priority }),
  );
  const values = (await Promise.all(calls)).map(({ value }) => value);
  await executor.close();
  for (const worker of workers) await worker.stop("1s");
  expect(values).toEqual(Array.from({ length: 6 }, () => "ok"));
  expect(most).toBeLessThanOrEqual(2);
});
