/** Calls of a fleet that are in doubt or wait, as its operator sees and settles them. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryCallStore, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../caller/executor.ts";
import { NatsWorker } from "../worker/worker.ts";
import { FleetOutcomes } from "./fleet-outcomes.ts";

const fleet = { ackWait: "500ms" } as const;
const folder = mkdtempSync(join(tmpdir(), "toolrig-outcomes-"));
let server: NatsProcess;
let executor: NatsExecutor;
let outcomes: FleetOutcomes;
let doomed: ChildProcess;

beforeAll(async () => {
  server = await startNats();
  const nats = { servers: server.url };
  const program = join(import.meta.dirname, "../../test/parking-worker.ts");
  doomed = fork(program, [server.url, folder, "claimed"], { execArgv: ["--conditions=@toolrig/source"] });
  await once(doomed, "message");
  executor = await NatsExecutor.connect({ nats, fleet });
  outcomes = await FleetOutcomes.connect({ nats, fleet });
});

afterAll(async () => {
  doomed.kill("SIGKILL");
  await outcomes.close();
  await executor.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

test("a call that was lost with its worker is recorded by the one that says so, listed, and settled by a person", async () => {
  const executionId = "desk.lost";
  const lost = executor.call({ id: "c1", name: "deploy", arguments: { job: "a" } }, { executionId });
  await once(doomed, "exit");
  expect(await outcomes.inDoubt()).toMatchObject([{ executionId, state: "open" }]);
  const store = new MemoryCallStore();
  const deploy = tool({
    name: "deploy",
    description: "Deploy the site",
    input: { type: "object", properties: { job: { type: "string" } } },
    safety: { sideEffects: "external", idempotent: false },
    execute: () => "live",
  });
  const nats = { servers: server.url };
  const worker = new NatsWorker({ nats, fleet, tools: [deploy], globalTools: false, store });
  await worker.start();
  expect((await lost).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect(store.records()).toMatchObject([
    {
      executionId,
      name: "deploy",
      args: { job: "a" },
      recovered: true,
      result: { failure: { kind: "unknown" } },
    },
  ]);
  const [found] = await outcomes.inDoubt();
  expect(found).toMatchObject({ executionId, state: "unknown", name: "deploy" });
  expect(found?.message).toContain("was lost before it reported");
  const by = { id: "ann" };
  await outcomes.settle(executionId, { outcome: "happened", by, why: "the site is up" });
  expect(await outcomes.inDoubt()).toEqual([]);
  const told = await executor.resultOf(executionId);
  expect(told).toMatchObject({ isError: false, details: { settled: "happened", by: "ann" } });
  const again = outcomes.settle(executionId, { outcome: "never-ran", by, why: "a mistake" });
  await expect(again).rejects.toThrow("it is not in doubt");
  await worker.stop("1s");
});

test("what never ran is told so to who asks, also before anybody else has said that its worker is lost", async () => {
  const own = mkdtempSync(join(folder, "own-"));
  const program = join(import.meta.dirname, "../../test/parking-worker.ts");
  const args = [server.url, own, "claimed"];
  const worker = fork(program, args, { execArgv: ["--conditions=@toolrig/source"] });
  await once(worker, "message");
  const executionId = "desk.never";
  const lost = executor.call({ id: "c2", name: "deploy", arguments: { job: "b" } }, { executionId });
  await once(worker, "exit");
  await outcomes.settle(executionId, {
    outcome: "never-ran",
    by: { id: "ann" },
    why: "the bank knows nothing",
  });
  const message = "ann says that it never ran: the bank knows nothing";
  expect((await lost).failure).toMatchObject({ code: "TOOL_CANCELLED", message });
  expect((await executor.resultOf(executionId))?.failure?.message).toBe(message);
  expect(await outcomes.inDoubt()).toEqual([]);
});

test("a call that runs is in no doubt", async () => {
  const nats = { servers: server.url };
  const controller = new AbortController();
  const stuck = tool({
    name: "stuck",
    description: "Never ends",
    input: { type: "object" },
    safety: { sideEffects: "external", idempotent: false },
    execute: () => new Promise(() => {}),
  });
  const worker = new NatsWorker({ nats, fleet, tools: [stuck], globalTools: false });
  await worker.start();
  const executionId = "desk.stuck";
  const result = executor.call({ id: "c3", name: "stuck" }, { executionId, signal: controller.signal });
  const running = [{ executionId, state: "running", worker: worker.id }];
  await expect.poll(() => outcomes.inDoubt()).toMatchObject(running);
  const settlement = { outcome: "never-ran", by: { id: "ann" }, why: "seen" } as const;
  await expect(outcomes.settle(executionId, settlement)).rejects.toThrow("it is not in doubt");
  controller.abort();
  await result;
  await worker.stop("1s");
});

test("what calls of a fleet wait for is listed without a worker", async () => {
  const nats = { servers: server.url };
  const asks = tool({
    name: "asks",
    description: "Ask",
    input: { type: "object" },
    execute: async (_: unknown, { ask }) => (await ask({ message: "Which day?" })).status,
  });
  const worker = new NatsWorker({ nats, fleet, tools: [asks], globalTools: false });
  await worker.start();
  const { executionId } = await executor.call({ id: "c4", name: "asks" }, { onWaiting: "return" });
  await worker.stop("1s");
  expect(await outcomes.waiting()).toMatchObject([{ executionId, kind: "question", name: "asks" }]);
  expect(await outcomes.waiting({ open: true, kind: "deferred" })).toEqual([]);
});
