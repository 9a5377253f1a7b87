/** A subject that is too long makes the server cut the connection: nobody's message makes a worker or a caller say one. */
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { freePort, type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { DeadLetters } from "../fleet/dead-letters.ts";
import { NatsWorker } from "../worker/worker.ts";
import { fingerprintOf } from "./messages.ts";

const fleet = { ackWait: "300ms" } as const;
const LONG = "x".repeat(5_000);
const echo = scriptedTool({ name: "echo", safety: { sideEffects: "none" } });
const ports = { inputs: [{ name: "in", subject: "in.>" }] };
let server: NatsProcess;
let monitor: string;
let wire: NatsConnection;
let worker: NatsWorker;
let executor: NatsExecutor;
let letters: DeadLetters;

beforeAll(async () => {
  const port = await freePort();
  monitor = `http://127.0.0.1:${port}/connz?state=closed`;
  server = await startNats({ extra: `http: "127.0.0.1:${port}"` });
  const nats = { servers: server.url };
  wire = await connect(nats);
  worker = new NatsWorker({ nats, fleet, tools: [echo], config: { ports } });
  await worker.start();
  executor = await NatsExecutor.connect({ nats, fleet });
  letters = await DeadLetters.connect({ nats, fleet });
});

afterAll(async () => {
  await executor.close();
  await letters.close();
  await worker.stop("1s");
  await wire.close();
  await server.close();
});

/** Everybody is still there, and nobody was cut off. */
afterEach(async () => {
  expect((await executor.call({ id: "c", name: "echo", arguments: {} })).failure).toBeUndefined();
  const { connections } = (await (await fetch(monitor)).json()) as { connections: { reason: string }[] };
  expect(connections.filter(({ reason }) => reason !== "Client Closed")).toEqual([]);
});

const call = { id: "c", name: "echo", arguments: {} };
const publish = (body: object) => wire.publish("tool.execute.echo", JSON.stringify(body));

describe("a message is no call", () => {
  test.each([
    ["caller", { executionId: "e.1", caller: LONG, call }],
    ["caller, once it is escaped,", { executionId: "e.1", caller: "語".repeat(400), call }],
    ["large text", { object: `a.${LONG}` }],
    ["plain id", { id: LONG, executionId: "e.2", name: "echo" }],
    ["plain id, once it is escaped,", { id: "語".repeat(400), executionId: "e.2", name: "echo" }],
  ])("whose %s is too long for a subject", async (_what, body) => {
    const before = echo.calls.length;
    publish(body);
    const buried = async () => (await letters.list()).find(({ body: kept }) => kept === JSON.stringify(body));
    await expect.poll(buried).toMatchObject({ reason: expect.stringContaining("at most") });
    expect(echo.calls.length).toBe(before);
  });
});

test("an execution of any id that may be, under the longest name of a caller, is one", async () => {
  const caller = "c".repeat(400);
  const nats = { servers: server.url };
  const named = await NatsExecutor.connect({ nats, fleet, caller });
  const executionId = "語".repeat(256);
  const large = { ...call, arguments: { text: "x".repeat(600_000) } };
  expect((await named.call(large, { executionId })).failure).toBeUndefined();
  expect((await named.resultOf(executionId))?.isError).toBe(false);
  await named.close();
});

test("an entry that names a worker whose name is too long is lost: nobody asks that worker", async () => {
  const entries = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
  const state = { state: "started", worker: LONG, attempt: 1, fingerprint: fingerprintOf(call), at: 1 };
  await entries.put("e.3", JSON.stringify(state));
  const asked = executor.resultOf("e.3");
  publish({ executionId: "e.3", call });
  const code = async () => (await entries.get("e.3"))?.json<{ result?: ToolResult }>().result?.failure?.code;
  await expect.poll(code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect((await asked)?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
});

test("a result in a large text whose name is too long cannot be read", async () => {
  const entries = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
  const state = { state: "final", fingerprint: "", at: 1, object: `a.${LONG}` };
  await entries.put("e.4", JSON.stringify(state));
  expect((await executor.resultOf("e.4"))?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
});

test("a cancellation whose key is too long for an entry is nobody's, and a call on a port that is too long is refused", async () => {
  wire.publish(`tool.cancel.${"k".repeat(4_050)}`);
  const { error } = (await wire.request(`in.${"n".repeat(4_000)}`, "{}", { timeout: HANG_MS })).json<{
    error: { code: number };
  }>();
  expect(error).toMatchObject({ code: 503, description: expect.stringContaining("at most") });
});
