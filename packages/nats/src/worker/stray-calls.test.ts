/** Calls on the wire that no worker will ever take. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { DeadLetters } from "../fleet/dead-letters.ts";
import { NatsWorker } from "./worker.ts";

const fleet = { ackWait: "200ms", maxQueued: 20 } as const;
let server: NatsProcess;
let wire: NatsConnection;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  for (const name of ["file_read", "other_tool"]) {
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [scriptedTool({ name })] });
    await worker.start();
    closing.push(() => worker.stop("1s"));
  }
});

afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await wire.close();
  await server.close();
});

test("a call of a tool that nobody has is answered, and leaves the queue", async () => {
  const answers: string[] = [];
  wire.subscribe("tool.result.id.*", { callback: (_error, message) => void answers.push(message.string()) });
  await wire.flush();
  await jetstream(wire).publish("tool.execute.file_reed", '{"id":"call_001","name":"file_reed"}');
  await expect.poll(() => answers.length).toBe(1);
  expect(JSON.parse(answers[0] ?? "")).toMatchObject({
    state: "final",
    result: { callId: "call_001", failure: { code: "TOOL_NOT_FOUND" } },
  });
  const { streams } = await jetstreamManager(wire);
  await expect.poll(async () => (await streams.info("AGENT")).state.messages).toBe(0);
});

test("stray calls that fill their queue leave room for others, and what is no call is put aside", async () => {
  const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
  closing.push(() => executor.close());
  const strays = Array.from({ length: 20 }, (_, index) =>
    jetstream(wire).publish(
      "tool.execute.nobody",
      index === 0 ? "no call" : `{"id":"s${index}","name":"nobody"}`,
    ),
  );
  await Promise.all(strays);
  await expect(jetstream(wire).publish("tool.execute.nobody", "one too many")).rejects.toThrow(
    "maximum messages",
  );
  expect((await executor.call({ id: "c", name: "file_read", arguments: {} })).isError).toBe(false);
  const { streams } = await jetstreamManager(wire);
  await expect.poll(async () => (await streams.info("AGENT")).state.messages).toBe(0);
  for (const index of [1, 19])
    expect((await executor.resultOf(`s${index}`))?.failure?.code).toBe("TOOL_NOT_FOUND");
  const letters = await DeadLetters.connect({ nats: { servers: server.url }, fleet });
  expect((await letters.list()).map(({ body, origin }) => [body, origin])).toEqual([
    ["no call", "tool.execute.nobody"],
  ]);
  await letters.close();
});
