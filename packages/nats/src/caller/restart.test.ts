/** What must come back by itself after the server was killed: every request that it had is gone. */
import { DiscardPolicy, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { tool } from "@toolrig/core";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";

const fleet = { ackWait: "500ms" } as const;
let server: NatsProcess;

beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

test("a fleet goes on after its server was killed", async () => {
  const nats = { servers: server.url };
  const limited = tool({
    name: "limited_tool",
    description: "Has a rate",
    input: { type: "object" },
    rate: { limit: 50, per: "1s" },
    execute: () => "ok",
  });
  const worker = new NatsWorker({ nats, fleet, tools: [limited, scriptedTool({ name: "plain_tool" })] });
  await worker.start();
  const executor = await NatsExecutor.connect({ nats, fleet });
  const view = await executor.fleet();
  const call = (name: string) => executor.call({ id: "c", name, arguments: {} });
  expect((await call("limited_tool")).isError).toBe(false);

  await server.kill("SIGKILL");
  const during = call("plain_tool");
  await server.restart();

  expect((await during).isError).toBe(false);
  expect((await call("plain_tool")).isError).toBe(false);
  expect((await call("limited_tool")).isError).toBe(false);
  const second = new NatsWorker({ nats, fleet, tools: [scriptedTool({ name: "later_tool" })] });
  await second.start();
  await expect.poll(() => view.offersOf("later_tool").length).toBe(1);
  expect(view.workers().map(({ id }) => id)).toContain(worker.id);

  await executor.close();
  await second.stop();
  await worker.stop();
});

test("a rate holds while its server is killed and started again", async () => {
  const nats = { servers: server.url };
  const starts: number[] = [];
  const counted = tool({
    name: "counted_tool",
    description: "Notes when it starts",
    input: { type: "object" },
    rate: { limit: 20, per: "4s" },
    execute: () => void starts.push(performance.now()),
  });
  const workers = [1, 2].map(() => new NatsWorker({ nats, fleet, tools: [counted] }));
  for (const worker of workers) await worker.start();
  const executor = await NatsExecutor.connect({ nats, fleet });
  const many = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => executor.call({ id: "c", name: "counted_tool", arguments: {} })),
    );
  await many(20);
  await server.kill("SIGKILL");
  await server.restart();
  await many(30);
  await executor.close();
  for (const worker of workers) await worker.stop();
  const windows = starts.map((from) => starts.filter((at) => at >= from && at < from + 4_000).length);
  expect(Math.max(...windows)).toBeLessThanOrEqual(22);
});

test("a call whose arguments are too large to be kept is refused, and did not run", async () => {
  const nats = { servers: server.url };
  const pay = scriptedTool({ name: "pay", safety: { sideEffects: "write" } });
  const worker = new NatsWorker({ nats, fleet, tools: [pay] });
  await worker.start();
  const executor = await NatsExecutor.connect({ nats, fleet });
  const wire = await connect(nats);
  const { streams } = await jetstreamManager(wire);
  const { config } = await streams.info("KV_AGENT_OBJECTS");
  const full = { ...config, max_bytes: 1_000, discard: DiscardPolicy.New };
  await streams.update("KV_AGENT_OBJECTS", full);
  await wire.close();

  await server.kill("SIGKILL");
  const call = executor.call({ id: "c", name: "pay", arguments: { text: "x".repeat(600_000) } });
  await server.restart();

  expect((await call).failure?.code).toBe("TOOL_UNAVAILABLE");
  expect((await executor.call({ id: "c", name: "pay", arguments: {} })).isError).toBe(false);
  expect(pay.calls).toEqual([{}]);
  await executor.close();
  await worker.stop();
});
