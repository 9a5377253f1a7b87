/** What the server may say to a publish, said by somebody who plays the stream. */
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { AckedPublisher } from "./acked-publisher.ts";

let server: NatsProcess;
let wire: NatsConnection;
let publisher: AckedPublisher;

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  publisher = new AckedPublisher(wire);
  wire.subscribe("said", { callback: (_error, message) => void message.respond(message.data) });
  await publisher.ready();
});

afterAll(async () => {
  publisher.close();
  await wire.close();
  await server.close();
});

test.each([
  ['{"stream":"S","seq":1}', 1],
  ['{"stream":"S", "seq":1234567890}', 1_234_567_890],
  ['{"stream":"S","seq":9007199254740991}', 9_007_199_254_740_991],
  ['{"stream":"S","seq":7,"duplicate":true}', 7],
  ['{"stream":"S","domain":"D","seq":70}', 70],
  ['{"seq":12,"stream":"S"}', 12],
  ['{"stream":"S","seq": 5 }', 5],
])("%s is an acknowledgement", async (said, seq) => {
  const ack = await publisher.publish("said", said);
  expect(ack.seq).toBe(seq);
  expect(Buffer.from(ack.said).toString()).toBe(said);
});

test.each([
  ['{"error":{"err_code":10071,"description":"wrong last sequence"},"stream":"S","seq":0}', 10071],
  ['{"stream":"S","seq":0,"error":{"err_code":10077}}', 10077],
  ['{"stream":"S","seq":1', 0],
  ['{"stream":"S","sseq":"1"}', 0],
  ["17}", 0],
  ["hello", 0],
])("%s is none", async (said, code) => {
  await expect(publisher.publish("said", said)).rejects.toMatchObject({ name: "PublishError", code });
});
