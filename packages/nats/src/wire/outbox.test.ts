import { Socket } from "node:net";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { type Letter, Outbox } from "./outbox.ts";

let server: NatsProcess;
let wire: NatsConnection;

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
});

afterAll(async () => {
  await wire.close();
  await server.close();
});

test("what is said in one turn is one write, in the order in which it was said", async () => {
  const write = vi.spyOn(Socket.prototype, "write");
  const outbox = new Outbox(wire, () => {});
  const say = async (text: string, after: number) => {
    for (let step = 0; step < after; step++) await undefined;
    outbox.send({ subject: "said", data: Buffer.from(text) });
  };
  await Promise.all([say("one", 0), say("three", 9), say("two", 5)]);
  await wire.flush();
  const written = write.mock.calls.map(([data]) => Buffer.from(data as Uint8Array).toString());
  write.mockRestore();
  expect(written.filter((text) => text.includes("PUB said"))).toEqual([
    expect.stringMatching(/one.*two.*three/s),
  ]);
});

test("who sent what cannot be sent is told, and the others are sent", async () => {
  const unsent: [Letter, unknown][] = [];
  const outbox = new Outbox(wire, (...both) => unsent.push(both));
  const heard: string[] = [];
  wire.subscribe("heard", { callback: (_error, message) => void heard.push(message.string()) });
  const data = Buffer.from("x");
  outbox.send({ subject: "no subject", data });
  outbox.send({ subject: "heard", data });
  await new Promise(setImmediate);
  await wire.flush();
  expect(unsent).toEqual([[{ subject: "no subject", data }, expect.any(Error)]]);
  expect(heard).toEqual(["x"]);
});
