import { connect, headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { headerValues } from "./header-values.ts";

let server: NatsProcess;
let wire: NatsConnection;
const heard: Msg[] = [];

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  wire.subscribe("said.>", { callback: (_error, message) => void heard.push(message) });
});

afterAll(async () => {
  await wire.close();
  await server.close();
});

async function told(fields: readonly [string, string][], data: string): Promise<Msg> {
  const made = headers();
  for (const [name, value] of fields) made.append(name, value);
  heard.length = 0;
  wire.publish("said.it", data, fields.length === 0 ? {} : { headers: made });
  await expect.poll(() => heard.length).toBe(1);
  return heard[0]!;
}

const large = "x".repeat(500_000);

test.each([
  ["no headers", [], "data"],
  ["another header", [["Nats-Subjects", "a"]], "data"],
  [
    "one",
    [
      ["Other", "a"],
      ["Nats-Subject", "$KV.a.b"],
    ],
    "data",
  ],
  ["one without a value", [["Nats-Subject", ""]], "data"],
  [
    "one of two",
    [
      ["Nats-Subject", "a"],
      ["Other", "Nats-Subject: b"],
      ["Nats-Subject", "c"],
    ],
    "data",
  ],
  ["one in other letters", [["nats-subject", "a"]], "data"],
  ["letters beyond ASCII", [["Nats-Subject", "wörter 字"]], "data"],
  ["data that look like a header", [], "NATS/1.0\r\nNats-Subject: a\r\n\r\n"],
  ["data in many parts", [["Nats-Subject", "a"]], large],
] satisfies [string, [string, string][], string][])(
  "a header's values are those that the client reads: %s",
  async (_, fields, data) => {
    const message = await told(fields, data);
    expect(headerValues(message, "Nats-Subject")).toEqual(message.headers?.values("Nats-Subject") ?? []);
  },
);

test("they are read without the client where it keeps a message as it came", async () => {
  const message = await told([["Nats-Subject", "a"]], "data");
  const asked = vi.spyOn(message, "headers", "get");
  expect(headerValues(message, "Nats-Subject")).toEqual(["a"]);
  expect(asked).not.toHaveBeenCalled();
});
