/** A call is answered, whoever is alive: by a deadline that its caller keeps. */
import { jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { scriptedTool } from "@toolrig/core/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort, type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
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

test("the result of a call that a lost worker had started counts that start", async () => {
  const { executionId, call } = await orphan({ attempt: 2 });
  const again = scriptedTool({ name: call.name, safety: { sideEffects: "none", idempotent: true } });
  const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [again] });
  await worker.start();
  expect(await executor.call(call, { executionId })).toMatchObject({ isError: false, attempts: 3 });
  await worker.stop();
  expect(again.calls.length).toBe(1);
});

describe("an entry that was overwritten", () => {
  test("once ended for who asked for it, is no other call for who makes the same again", async () => {
    const { executionId, call } = await orphan();
    await entries.put(executionId, "garbled");
    expect((await executor.resultOf(executionId))?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    const tool = scriptedTool({ name: call.name });
    const worker = new NatsWorker({ nats: { servers: server.url }, fleet, tools: [tool] });
    await worker.start();
    const { failure, name } = await executor.call(call, { executionId });
    expect(failure).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    expect(name).toBe(call.name);
    await worker.stop();
    expect(tool.calls.length).toBe(0);
  });

  test("is ended as the call that it was, where that was seen", async () => {
    const { executionId, call } = await orphan({ worker: "silent" });
    const question = new Promise((callback) => wire.subscribe("tool.worker.silent", { max: 1, callback }));
    await wire.flush();
    const asked = executor.resultOf(executionId);
    await question;
    await entries.put(executionId, "garbled");
    expect((await asked)?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
    const entry = (await entries.get(executionId))?.json<{ fingerprint: string }>();
    expect(entry?.fingerprint).toBe(fingerprintOf(call));
  });
});

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

  test("is no reason to wait for a call with other arguments, which did not run", async () => {
    const { executionId, call } = await orphan({ fingerprint: "another" });
    const { failure } = await executor.call(call, { executionId });
    expect(failure).toMatchObject({ code: "TOOL_BLOCKED" });
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

describe("a call whose entry in the ledger is deleted or overwritten", () => {
  test.each([
    ["deleted", (id: string) => entries.delete(id)],
    ["garbled", (id: string) => entries.put(id, '{"state":"begun"}')],
  ])("has an open outcome when it was %s", async (_how, harm) => {
    const { executionId, call } = await orphan();
    await harm(executionId);
    const { failure } = await executor.call(call, { executionId });
    expect(failure).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    expect(failure?.message).toContain("deleted or overwritten");
  });
});

describe("the outcome of an execution", () => {
  test("is told to all who ask at once, and to who calls beside them", async () => {
    const { executionId, call } = await orphan();
    const asked = ["a", "b"].map(() => executor.resultOf(executionId));
    const codes = (await Promise.all([...asked, executor.call(call, { executionId })])).map(
      (result) => result?.failure?.code,
    );
    expect(new Set(codes)).toEqual(new Set(["TOOL_OUTCOME_UNKNOWN"]));
    const never = ["exec_never.1", "exec_never.1"].map((id) => executor.resultOf(id));
    expect(await Promise.all(never)).toEqual([undefined, undefined]);
  });

  test("is not waited for by who aborts, and goes on for the others", async () => {
    const patient = await NatsExecutor.connect({ nats: { servers: server.url }, fleet });
    const { executionId, call } = await orphan();
    const controller = new AbortController();
    const first = patient.call(call, { executionId });
    const others = [
      patient.call({ ...call, id: "other" }, { executionId, signal: controller.signal }),
      patient.resultOf(executionId, { signal: controller.signal }),
    ];
    controller.abort();
    for (const other of await Promise.all(others))
      expect(other?.failure).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(patient.counts().out).toBe(1);
    await patient.close();
    expect((await first).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  });
});

describe("a server that is there no more", () => {
  let own: NatsProcess;
  let caller: NatsExecutor;
  const call = { id: "c", name: "nobody_has_it", arguments: {} };

  afterEach(async () => {
    await caller.close();
    await own.close();
  });

  test("lets nobody say that an execution was not begun", async () => {
    own = await startNats();
    caller = await NatsExecutor.connect({ nats: { servers: own.url }, fleet });
    expect(await caller.resultOf("exec_paused.1")).toBeUndefined();
    process.kill(own.pid, "SIGSTOP");
    const told = () => caller.resultOf("exec_paused.1").then(String, (error: Error) => error.message);
    await expect.poll(told).toContain("is not known; ask again");
    process.kill(own.pid, "SIGCONT");
  });

  test("or whose ledger is there no more, leaves no call without an answer", async () => {
    own = await startNats();
    caller = await NatsExecutor.connect({ nats: { servers: own.url }, fleet, queueTimeout: "1s" });
    const result = caller.call(call);
    await expect.poll(() => caller.counts().out).toBe(1);
    const admin = await connect({ servers: own.url });
    await (await jetstreamManager(admin)).streams.delete("KV_TOOL_LEDGER");
    await admin.close();
    expect((await result).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  });

  test("does not keep a cancelled call waiting", async () => {
    own = await startNats();
    caller = await NatsExecutor.connect({ nats: { servers: own.url }, fleet });
    const controller = new AbortController();
    const result = caller.call(call, { signal: controller.signal });
    await expect.poll(() => caller.counts().out).toBe(1);
    await own.kill();
    controller.abort();
    expect((await result).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  });

  test("answers what is out when it throws the caller out, and what comes after", async () => {
    const users = (names: string[]) =>
      `authorization { users: [${names.map((user) => `{user: ${user}, password: x}`).join()}] }`;
    const port = await freePort();
    own = await startNats({ port, extra: users(["desk", "admin"]) });
    caller = await NatsExecutor.connect({ nats: { servers: own.url, user: "desk", pass: "x" }, fleet });
    const result = caller.call(call);
    await expect.poll(() => caller.counts().out).toBe(1);
    await own.close();
    own = await startNats({ port, extra: users(["admin"]) });
    const { failure } = await result;
    expect(failure).toMatchObject({ code: "TOOL_OUTCOME_UNKNOWN" });
    expect(failure?.message).toContain("ended for good");
    expect((await caller.call(call)).failure?.code).toBe("TOOL_UNAVAILABLE");
    await expect(caller.resultOf("exec_out.1")).rejects.toMatchObject({ code: "STORE_FAILED" });
  });
});
