import { Socket } from "node:net";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
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

test("texts and bytes, with and without headers, come as they were sent and in that order", async () => {
  const outbox = new Outbox(wire, () => {});
  const heard: [string, string | undefined][] = [];
  wire.subscribe("mixed", {
    callback: (_error, message) => void heard.push([message.string(), message.headers?.get("Said")]),
  });
  const said = headers();
  said.set("Said", "so");
  const texts = [
    "",
    "plain",
    "süß 漢字 🙂",
    "two\r\nPUB mixed 1\r\nx",
    `half a pair \ud83d`,
    "x".repeat(300_000),
  ];
  const before = wire.stats().outMsgs;
  for (const data of texts) {
    outbox.send({ subject: "mixed", data });
    outbox.send({ subject: "mixed", data: Buffer.from(data) });
    outbox.send({ subject: "mixed", data, headers: said });
  }
  await new Promise(setImmediate);
  await wire.flush();
  const arrived = texts.map((text) => text.toWellFormed());
  expect(heard).toEqual(
    arrived.flatMap((text) => [
      [text, undefined],
      [text, undefined],
      [text, "so"],
    ]),
  );
  expect(wire.stats().outMsgs - before).toBe(3 * texts.length);
});

test("no subject and no reply can say more than one message", async () => {
  const refused: string[] = [];
  const outbox = new Outbox(wire, ({ subject }) => refused.push(subject));
  const heard: string[] = [];
  wire.subscribe("aside", { callback: (_error, message) => void heard.push(message.string()) });
  const more = "said 0\r\n\r\nPUB aside";
  outbox.send({ subject: more, data: "x" });
  outbox.send({ subject: "", data: "x" });
  outbox.send({ subject: "said", reply: more, data: "x" });
  await new Promise(setImmediate);
  await wire.flush();
  expect(refused).toEqual([more, "", "said"]);
  expect(heard).toEqual([]);
});

test("what is larger than the server takes is refused, to the byte", async () => {
  const most = wire.info?.max_payload ?? 0;
  const refused: number[] = [];
  const outbox = new Outbox(wire, ({ data }) => refused.push(data.length));
  const heard: number[] = [];
  wire.subscribe("large", { callback: (_error, message) => void heard.push(message.data.length) });
  outbox.send({ subject: "large", data: "x".repeat(most) });
  outbox.send({ subject: "large", data: "x".repeat(most + 1) });
  outbox.send({ subject: "large", data: "é".repeat(most / 2 + 1) });
  outbox.send({ subject: "large", data: "x".repeat(most), expected: 0 });
  await new Promise(setImmediate);
  await wire.flush();
  expect(heard).toEqual([most]);
  expect(refused).toEqual([most + 1, most / 2 + 1, most]);
});

test("a subject that the server would drop the connection for is refused, with what was asked to be answered on", async () => {
  const refused: [number, unknown][] = [];
  const outbox = new Outbox(wire, ({ subject }, error) => refused.push([subject.length, error]));
  const said = headers();
  said.set("Said", "so");
  const heard: number[] = [];
  wire.subscribe("long.>", { callback: (_error, message) => void heard.push(message.subject.length) });
  const subject = `long.${"x".repeat(3_995)}`;
  outbox.send({ subject, data: "x" });
  outbox.send({ subject, data: "x", headers: said });
  for (const more of [{}, { headers: said }]) {
    outbox.send({ subject: `${subject}x`, data: "x", ...more });
    outbox.send({ subject: subject.slice(3), reply: "back", data: "x", ...more });
    outbox.send({ subject: `long.${"語".repeat(1_400)}`, data: "x", ...more });
  }
  await new Promise(setImmediate);
  await wire.flush();
  expect(heard).toEqual([4_000, 4_000]);
  const tooLong = expect.objectContaining({ message: expect.stringContaining("at most 4000 fit") });
  expect(refused).toEqual([4_001, 3_997, 1_405, 4_001, 3_997, 1_405].map((length) => [length, tooLong]));
});

test("what is sent over a connection that is closed is told to its sender", async () => {
  const closing = await connect({ servers: server.url });
  const refused: Letter[] = [];
  const outbox = new Outbox(closing, (letter) => refused.push(letter));
  await closing.close();
  const letter = { subject: "late", data: "x" };
  outbox.send(letter);
  await new Promise(setImmediate);
  expect(refused).toEqual([letter]);
});

test("much is written in pieces: a turn may have more to say than a text can hold", async () => {
  const write = vi.spyOn(Socket.prototype, "write");
  const outbox = new Outbox(wire, () => {});
  const heard: string[] = [];
  wire.subscribe("much", { callback: (_error, message) => void heard.push(message.string()) });
  const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000));
  for (const data of texts) outbox.send({ subject: "much", data });
  await new Promise(setImmediate);
  await wire.flush();
  const sizes = write.mock.calls.map(([data]) => (data as Uint8Array).length);
  write.mockRestore();
  expect(heard).toEqual(texts);
  expect(Math.max(...sizes)).toBeLessThan(800_000);
});
