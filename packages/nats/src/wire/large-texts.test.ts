/** Calls and results that do not fit a message. */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { bury, DeadLetters } from "../fleet/dead-letters.ts";
import { setUp } from "../fleet/setup.ts";
import { NatsWorker } from "../worker/worker.ts";
import { AckedPublisher } from "./acked-publisher.ts";
import { LargeTexts } from "./large-texts.ts";
import { Payloads } from "./payload.ts";

const fleet = { ackWait: "500ms" } as const;
const text = "wörter ".repeat(200_000);
let server: NatsProcess;
let wire: NatsConnection;
let worker: NatsWorker;
const echo = scriptedTool({ name: "take_much" });

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [echo] });
  await worker.start();
});

afterAll(async () => {
  await worker.stop("1s");
  await wire.close();
  await server.close();
});

test.each([100, 100_000])("a text is the same after it was kept in pieces of %i bytes", async (bytes) => {
  const large = new LargeTexts(wire, "AGENT_OBJECTS", "leader");
  // Pieces end in the middle of characters.
  for (const given of ["", "x", text.slice(0, bytes * 7)]) {
    await large.put(`id.whole_${bytes}.call`, given, bytes);
    expect((await large.get(`id.whole_${bytes}.call`)) === given).toBe(true);
  }
});

test.each(["id.nothing.call", "id.*.call", "id.>", "id", "", "id.a b.call"])(
  "%j is no text that is kept",
  async (name) => {
    await expect(new LargeTexts(wire, "AGENT_OBJECTS", "leader").get(name)).rejects.toThrow(
      /not there|not the name/,
    );
  },
);

test("a large call that was put aside is sent again whole, or not at all", async () => {
  const names = await setUp(wire, fleet);
  const publisher = new AckedPublisher(wire);
  const call = JSON.stringify({
    executionId: "e1",
    call: { id: "c", name: "take_much", arguments: { text } },
  });
  const body = await new Payloads(wire, { ...names, from: "leader" }).fit("id.e1.call", call);
  const [origin, gone] = ["tool.execute.take_much", '{"object":"id.gone.call"}'];
  for (const each of [body, gone])
    await bury(
      publisher,
      { subject: origin, data: Buffer.from(each) },
      { tool: "take_much", reason: "r", id: each },
    );
  const letters = await DeadLetters.connect({ nats: { servers: server.url }, fleet });
  const [first, second] = (await letters.list()).map(({ seq }) => seq);
  const executionId = await letters.retry(first ?? 0);
  const executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
  await expect.poll(() => echo.calls).toEqual([{ text }]);
  expect((await executor.resultOf(executionId ?? ""))?.isError).toBe(false);
  await expect(letters.retry(second ?? 0)).rejects.toThrow(
    /Dead letter \d+ cannot be sent again: the large text id.gone.call/,
  );
  expect((await letters.list()).map(({ seq }) => seq)).toEqual([second]);
  await letters.drop(second ?? 0);
  await letters.close();
  await executor.close();
  publisher.close();
});

test("arguments that cannot be read now are read later, and are no malformed message", async () => {
  const { streams } = await jetstreamManager(wire);
  await streams.delete("KV_AGENT_OBJECTS");
  await jetstream(wire).publish("tool.execute.take_much", '{"object":"id.e2.call"}');
  await expect.poll(() => worker.dataFlow().received).toBeGreaterThan(1);
  await setUp(wire, fleet);
  const call = { executionId: "e2", call: { id: "c", name: "take_much", arguments: { text, again: true } } };
  await new LargeTexts(wire, "AGENT_OBJECTS", "leader").put("id.e2.call", JSON.stringify(call), 100_000);
  await expect.poll(() => echo.calls.length).toBe(2);
  expect(worker.dataFlow().buried).toBe(0);
});
