/** What is read from the wire is checked at the door: a bad card costs nobody anything. */
import { gzipSync } from "node:zlib";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { NatsWorker } from "../worker/worker.ts";
import { readCard } from "./worker-card.ts";

const offer = {
  name: "good",
  description: "Good",
  inputSchema: { type: "object" },
  provider: "local",
  available: true,
  safety: { sideEffects: "none", idempotent: true },
};
const card = { id: "w1", startedAt: 1, at: 2, running: 0, tools: [offer] };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const badOffers: [string, unknown][] = [
  ["nothing", null],
  ["a text", "good"],
  ["a list", [offer]],
  ["no name", { ...offer, name: "" }],
  ["a number for a name", { ...offer, name: 7 }],
  ["a version that is none", { ...offer, version: "latest" }],
  ["no schema", { ...offer, inputSchema: null }],
  ["no safety", { ...offer, safety: undefined }],
  ["a description that is an object", { ...offer, description: {} }],
  ["slots that are text", { ...offer, slots: "many" }],
  ["a rate of nothing", { ...offer, rate: { limit: 0, perMs: 1 } }],
];

describe("a card", () => {
  test.each(badOffers)("with %s among its tools keeps the others", (_title, bad) => {
    expect(readCard(bytes({ ...card, tools: [bad, offer] }), "w1")).toMatchObject({
      card: { tools: [{ name: "good" }] },
      skipped: 1,
    });
  });

  test.each<[string, Uint8Array]>([
    ["is not JSON", new TextEncoder().encode("{")],
    ["is empty", new Uint8Array()],
    ["is null", bytes(null)],
    ["has no tools", bytes({ ...card, tools: {} })],
    ["is filed under another name", bytes({ ...card, id: "w2" })],
    ["has times that are none", bytes({ ...card, startedAt: "x" })],
    ["is a broken archive", gzipSync(JSON.stringify(card)).subarray(0, 30)],
  ])("that %s is none", (_title, data) => {
    expect(() => readCard(data, "w1")).toThrow();
  });
});

describe("beside cards that are none", () => {
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

  test("a fleet calls, and lists, what is good, and counts what is not", async () => {
    const nats = { servers: server.url };
    const worker = new NatsWorker({ nats, tools: [scriptedTool({ name: "good" })] });
    await worker.start();
    const before = await NatsExecutor.connect({ nats });
    wire.publish("$KV.AGENT_WORKERS.evil", JSON.stringify({ ...card, id: "evil", tools: [null, offer] }));
    wire.publish("$KV.AGENT_WORKERS.worse", "no card");
    wire.publish(`$KV.AGENT_WORKERS.${worker.id}x`, JSON.stringify({ ...card, id: worker.id, tools: [] }));
    await wire.flush();
    const after = await NatsExecutor.connect({ nats });
    for (const executor of [before, after]) {
      expect((await executor.call({ id: "c", name: "good", arguments: {} })).isError).toBe(false);
      expect((await executor.fleet()).skipped).toBe(3);
      expect((await executor.fleet()).workers().map(({ id }) => id)).toEqual(["evil", worker.id].sort());
    }
    const list = await wire.request("tool.list", "", { timeout: HANG_MS });
    expect(list.json()).toMatchObject({ tools: [{ name: "good", workers: 2 }] });
    await before.close();
    await after.close();
    await worker.stop();
  });
});
