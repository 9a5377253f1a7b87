/** Results that come before their calls wait: a service may be faster than the tool that asked it, and any worker takes them. */
import { setTimeout as pause } from "node:timers/promises";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { deferred, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HANG_MS } from "../../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import { KvWaits } from "../../store/waits.ts";
import { NatsWorker } from "../worker.ts";

const WORKERS = 3;
let server: NatsProcess;
let wire: NatsConnection;
let executor: NatsExecutor;
const workers: NatsWorker[] = [];
/** Called by a tool with its token, before it waits. */
let begun: (job: { execution: string; token: string }) => Promise<unknown>;
const outcomes: unknown[] = [];

const tools = [
  tool({
    name: "quick",
    description: "Ask a service that answers at once",
    input: { type: "object" },
    output: { type: "string" },
    async execute(_: unknown, { executionId, token }) {
      const told = begun({ execution: executionId, token });
      outcomes.push(await Promise.race([told, pause(100)]));
      return deferred({ expires: "1m" });
    },
  }),
  tool({
    name: "returns",
    description: "Return although its token is out",
    input: { type: "object" },
    async execute(_: unknown, { executionId, token }) {
      void begun({ execution: executionId, token });
      await pause(200);
      return "mine";
    },
  }),
];

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  const nats = { servers: server.url };
  for (let count = 0; count < WORKERS; count++) {
    const worker = new NatsWorker({ nats, fleet: { ackWait: "1s" }, tools, globalTools: false });
    await worker.start();
    workers.push(worker);
  }
  executor = await NatsExecutor.connect({ nats, fleet: { ackWait: "1s" } });
});

afterAll(async () => {
  await executor.close();
  for (const worker of workers) await worker.stop("1s");
  await wire.close();
  await server.close();
});

async function complete(body: object): Promise<{ ok: boolean; message?: string }> {
  return (await wire.request("tool.complete", JSON.stringify(body), { timeout: HANG_MS })).json();
}

const call = (name: string) => executor.call({ id: "c1", name, arguments: {} });
const waits = () => KvWaits.open(wire, { name: "AGENT_WAITS" });

test("a result that is faster than its tool counts, whichever of three workers takes it", async () => {
  const told: Promise<{ ok: boolean }>[] = [];
  begun = (job) => {
    const completing = complete({ ...job, value: "fast" });
    told.push(completing);
    return completing;
  };
  const results = await Promise.all(Array.from({ length: 24 }, () => call("quick")));
  expect(results.map(({ value, failure }) => value ?? failure?.message)).toEqual(Array(24).fill("fast"));
  expect(await Promise.all(told)).toEqual(Array(24).fill({ ok: true }));
});

test("a result counts although the worker that took it is gone before the call waits", async () => {
  let job: { execution: string; token: string } | undefined;
  begun = async (given) => {
    job = given;
    const completion = JSON.stringify({ ...given, value: "kept" });
    expect(await (await waits()).early.add(given.execution, completion)).toBe(true);
  };
  expect(await call("quick")).toMatchObject({ value: "kept", isError: false });
  const { early } = await waits();
  await expect.poll(() => early.list(job?.execution ?? "")).toEqual([]);
  expect((await complete({ ...job, value: "again" })).message).toContain("it was completed already");
});

test("a forged result that comes early does not count, and keeps no true one from it", async () => {
  const forged: Promise<{ ok: boolean; message?: string }>[] = [];
  begun = async ({ execution, token }) => {
    for (let number = 0; number < 12; number++)
      forged.push(complete({ execution, token: `${number}`.repeat(24), value: "forged" }));
    return complete({ execution, token, value: "true" });
  };
  expect(await call("quick")).toMatchObject({ value: "true" });
  for (const each of await Promise.all(forged))
    expect(each).toMatchObject({ ok: false, code: "COMPLETION_REFUSED" });
});

test("a result for a call that ends without waiting is refused once it has, and is not kept", async () => {
  let told: Promise<{ ok: boolean; message?: string }> | undefined;
  let execution = "";
  begun = async (job) => {
    execution = job.execution;
    told = complete({ ...job, value: "theirs" });
    return told;
  };
  expect(await call("returns")).toMatchObject({ value: "mine" });
  expect(await told).toMatchObject({ ok: false, code: "COMPLETION_REFUSED" });
  expect(await (await waits()).early.list(execution)).toEqual([]);
});
