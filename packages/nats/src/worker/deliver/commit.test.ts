/** What a tool did is not lost, whatever becomes of the server or of the ledger's entry while it ends. */
import { jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";
import { setUp } from "../../fleet/setup.ts";
import { fingerprintOf } from "../../wire/messages.ts";
import { Payloads } from "../../wire/payload.ts";
import { NatsWorker } from "../worker.ts";

const fleet = { ackWait: "300ms" } as const;
const LARGE = "x".repeat(700_000);
const call = { id: "c", name: "end_slowly", arguments: {} };
const executionId = "exec_commit.1";

let server: NatsProcess;
let wire: NatsConnection;
let worker: NatsWorker;
let executor: NatsExecutor;
let entries: KV;

beforeEach(async () => {
  server = await startNats({ extra: 'lame_duck_grace_period: "4s"\nlame_duck_duration: "30s"' });
  wire = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
  entries = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
});

afterEach(async () => {
  await executor.close();
  await worker.stop("1s");
  await wire.close();
  await server.close();
});

/** A worker whose tool has begun and ends when it is told to. */
async function begun(returns: unknown, sideEffects: "write" | "none" = "write") {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tool = scriptedTool({
    name: call.name,
    safety: { sideEffects },
    script: [() => gate.then(() => returns)],
  });
  worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [tool], maxContent: 10_000_000 });
  await worker.start();
  const result = executor.call(call, { executionId });
  await expect.poll(() => tool.calls.length).toBe(1);
  return { release, result, tool };
}

test.each([
  ["small", "done"],
  ["large", LARGE],
])("the server is away when the tool ends, and the result is %s", async (_size, returns) => {
  const { release, result, tool } = await begun(returns);
  await server.kill("SIGKILL");
  release();
  await server.restart();
  const { failure, value } = await result;
  expect(failure).toBeUndefined();
  expect(value === returns).toBe(true);
  expect(tool.calls.length).toBe(1);
});

test("the server is about to stop when the tool ends, and the result is large", async () => {
  const { release, result, tool } = await begun(LARGE);
  const stopped = server.kill("SIGUSR2");
  const asked = () => wire.request("$KV.AGENT_OBJECTS.id.probe.0", "").catch((error: Error) => error.message);
  await expect.poll(asked, { interval: 10 }).toContain("no responders");
  release();
  await stopped;
  await server.restart();
  const { failure, value } = await result;
  expect(failure).toBeUndefined();
  expect(value === LARGE).toBe(true);
  expect(tool.calls.length).toBe(1);
});

test("the server takes less when it is back than when the tool ended", async () => {
  const text = "x".repeat(300_000);
  const { release, result, tool } = await begun(text);
  await server.kill("SIGKILL");
  release();
  const larger = executor.call({ ...call, arguments: { text } });
  await server.reload((config) => `${config}\nmax_payload: 65536\n`);
  await server.restart();
  expect((await result).value === text).toBe(true);
  expect((await larger).failure).toBeUndefined();
  expect(tool.calls).toEqual([{}, { text }]);
});

test("a worker that was given up changes no large result that was kept", async () => {
  const { release, result } = await begun(LARGE);
  const payloads = new Payloads(wire, { ...(await setUp(wire, fleet)), from: "leader" });
  const given: ToolResult = {
    callId: "c",
    executionId,
    name: call.name,
    isError: false,
    content: [],
    value: `kept ${LARGE}`,
    decoded: { mode: "strict", degree: "exact", repairs: [] },
    attempts: 1,
    durationMs: 1,
  };
  await entries.put(executionId, await payloads.entry(executionId, fingerprintOf(call), given));
  expect((await result).value === given.value).toBe(true);
  release();
  await expect.poll(() => worker.dataFlow().late).toBe(1);
  expect((await executor.resultOf(executionId))?.value === given.value).toBe(true);
});

test.each([
  ["write", "TOOL_OUTCOME_UNKNOWN"],
  ["none", "TOOL_EXECUTION_FAILED"],
] as const)("a result that cannot be kept is told once: %s", async (sideEffects, code) => {
  const manager = await jetstreamManager(wire);
  const { config } = await manager.streams.info("KV_AGENT_OBJECTS");
  await manager.streams.update("KV_AGENT_OBJECTS", { ...config, max_bytes: 10_000 });
  const { release, result, tool } = await begun(LARGE, sideEffects);
  release();
  const { failure } = await result;
  expect(failure?.code).toBe(code);
  expect(failure?.message).toContain("could not be kept");
  expect(tool.calls.length).toBe(1);
  expect(worker.dataFlow()).toMatchObject({ errors: 0, takenOver: 0, buried: 0 });
});

test.each([
  ["deleted", () => entries.delete(executionId)],
  ["garbled", () => entries.put(executionId, "{")],
  [
    "purged",
    async () => {
      const { streams } = await jetstreamManager(wire);
      await streams.purge("KV_TOOL_LEDGER", { filter: `$KV.TOOL_LEDGER.${executionId}` });
    },
  ],
])("an entry that was %s under a running call is written anew", async (_how, harm) => {
  const { release, result, tool } = await begun("done");
  await harm();
  wire.publish(`tool.execute.${call.name}`, JSON.stringify({ executionId: "exec_other.1", call }));
  await expect.poll(() => tool.calls.length).toBe(2);
  release();
  expect((await result).value).toBe("done");
  expect(worker.dataFlow().late).toBe(0);
});

test("a call whose entry was deleted or overwritten before it began is not run", async () => {
  const tool = scriptedTool({ name: call.name, safety: { sideEffects: "write", idempotent: true } });
  for (const [id, harm] of [
    ["exec_gone.1", () => entries.delete("exec_gone.1")],
    ["exec_gone.2", () => entries.put("exec_gone.2", '{"state":"started"}')],
  ] as const) {
    await entries.put(id, "{}");
    await harm();
    wire.publish(`tool.execute.${call.name}`, JSON.stringify({ executionId: id, call }));
  }
  worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [tool] });
  await worker.start();
  for (const id of ["exec_gone.1", "exec_gone.2"])
    await expect.poll(async () => (await executor.resultOf(id))?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect(tool.calls.length).toBe(0);
});

test("a large text waits for a server that is away", async () => {
  worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [] });
  const payloads = new Payloads(wire, { ...(await setUp(wire, fleet)), from: "leader" });
  const { object } = JSON.parse(await payloads.fit("id.x.call", LARGE)) as { object: string };
  await server.kill("SIGKILL");
  const loaded = payloads.load(object);
  await server.restart();
  expect((await loaded) === LARGE).toBe(true);
  await expect(payloads.load("id.x.none")).rejects.toThrow("is not there");
});
