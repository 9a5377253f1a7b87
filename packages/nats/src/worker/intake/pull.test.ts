import { connect } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { expect, test } from "vitest";
import { startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import { NatsWorker } from "../worker.ts";

test("a worker with many slots never asks for more bytes than it can read, and large calls all run", async () => {
  const server = await startNats();
  const nats = { servers: server.url };
  const wire = await connect(nats);
  const asked: { max_bytes?: number }[] = [];
  // A worker that checks its permissions asks with an empty message.
  const note = (text: string) => void (text !== "" && asked.push(JSON.parse(text)));
  wire.subscribe("$JS.API.CONSUMER.MSG.NEXT.AGENT.>", { callback: (_, message) => note(message.string()) });
  await wire.flush();
  const input = { type: "object", properties: { text: { type: "string" } } } as const;
  const tool = scriptedTool({ name: "take_much", input });
  const executor = await NatsExecutor.connect({ nats });
  const text = "x".repeat(450_000);
  // They wait in the queue, more than fit one request, before there is a worker.
  const results = Array.from({ length: 40 }, (_, n) =>
    executor.call({ id: `c${n}`, name: "take_much", arguments: { text } }),
  );
  await expect.poll(() => executor.counts().out).toBe(40);
  const worker = new NatsWorker({ nats, tools: [tool], config: { concurrency: 200 } });
  await worker.start();
  const codes = (await Promise.all(results)).map(({ failure }) => failure?.code ?? "ok");
  expect(codes.filter((code) => code !== "ok")).toEqual([]);
  expect(tool.calls).toHaveLength(40);
  expect(asked.map(({ max_bytes }) => max_bytes).every((bytes) => bytes === 8 * 1024 * 1024)).toBe(true);
  await worker.stop();
  await executor.close();
  await wire.close();
  await server.close();
});
