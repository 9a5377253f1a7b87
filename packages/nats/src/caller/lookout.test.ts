/** A call is answered, whoever is alive: by a deadline that its caller keeps. */
import { type KV, Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { fingerprintOf, type StartedState } from "../wire/messages.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";

const fleet = { ackWait: "300ms" } as const;
let server: NatsProcess;
let wire: NatsConnection;
let entries: KV;
let executor: NatsExecutor;
let count = 0;

beforeAll(async () => {
  server = await startNats();
  wire = await connect({ servers: server.url });
  executor = await NatsExecutor.connect({ nats: { servers: server.url }, fleet, queueTimeout: "1s" });
  entries = await new Kvm(wire).open("TOOL_LEDGER", { allow_direct: true });
});

afterAll(async () => {
  await executor.close();
  await wire.close();
  await server.close();
});

/** A call that a worker started which is gone, with no other worker there. */
async function orphan(more: Partial<StartedState> = {}) {
  count += 1;
  const executionId = `exec_orphan.${count}`;
  const call = { id: "c", name: `orphan_${count}`, arguments: {} };
  const fingerprint = fingerprintOf(call);
  const state: StartedState = { state: "started", worker: "gone", attempt: 1, fingerprint, at: 1, ...more };
  await entries.put(executionId, JSON.stringify(state));
  return { executionId, call };
}

describe("a call whose worker is gone while no other comes", () => {
  test("has an open outcome when it may not run again", async () => {
    const { executionId, call } = await orphan();
    const { failure } = await executor.call(call, { executionId });
    expect(failure).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    expect(failure?.message).toContain("Worker gone started");
  });

  test("is unavailable when it may", async () => {
    const { executionId, call } = await orphan({ repeats: true });
    const { failure } = await executor.call(call, { executionId });
    expect(failure).toMatchObject({ code: "TOOL_UNAVAILABLE" });
    expect(failure?.message).toContain("it may be called again");
  });

  test("is over for a worker that comes later", async () => {
    const { executionId, call } = await orphan({ repeats: true });
    await executor.call(call, { executionId });
    const late = scriptedTool({ name: call.name, safety: { sideEffects: "write", idempotent: true } });
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [late] });
    await worker.start();
    await expect.poll(() => worker.dataFlow().duplicates).toBe(1);
    await worker.stop();
    expect(late.calls.length).toBe(0);
  });

  test("is ended for whoever asks for its outcome, too", async () => {
    const { executionId } = await orphan();
    expect((await executor.resultOf(executionId))?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  });

  test("is ended at once when it is cancelled", async () => {
    const patient = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
    const codes: unknown[] = [];
    for (const repeats of [true, false]) {
      const { executionId, call } = await orphan({ repeats });
      const controller = new AbortController();
      const result = patient.call(call, { executionId, signal: controller.signal });
      await expect.poll(() => patient.counts().out).toBe(1);
      controller.abort();
      const { failure } = await result;
      expect(failure?.message).toContain("It may have happened");
      codes.push(failure?.code);
    }
    await patient.close();
    expect(codes).toEqual(["TOOL_CANCELLED", "TOOL_OUTCOME_UNKNOWN"]);
  });
});
