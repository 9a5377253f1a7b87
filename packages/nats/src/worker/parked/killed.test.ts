/** Workers that are killed while they park calls, see them through or wait: each call has one result, no effect repeats. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../../scripts/start-nats.ts";
import { NatsExecutor } from "../../caller/executor.ts";

const program = join(import.meta.dirname, "../../../test/parking-worker.ts");
let server: NatsProcess;
let executor: NatsExecutor;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  server = await startNats();
  const nats = { servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 };
  executor = await NatsExecutor.connect({ nats, fleet: { ackWait: "500ms" } });
});
afterAll(async () => {
  await executor.close();
  await server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-parked-"));
});
afterEach(async () => {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true });
});

/** One that dies is followed by another, as by a supervisor. */
async function work(dieAt = ""): Promise<ChildProcess> {
  const child = fork(program, [server.url, folder, dieAt], {
    execArgv: ["--conditions=@toolrig/source"],
  });
  children.add(child);
  child.once("exit", () => {
    if (children.delete(child) && dieAt !== "") void work().catch(() => {});
  });
  await once(child, "message");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  const ended = once(child, "exit");
  if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await ended;
}

const effects = () => readFileSync(join(folder, "effects"), "utf8").trim().split("\n");
const call = (name: string, job: string) => ({ id: job, name, arguments: { job } });

async function complete(job: string, value: string): Promise<void> {
  const file = join(folder, `token-${job}`);
  await expect.poll(() => existsSync(file)).toBe(true);
  const { execution, token } = JSON.parse(readFileSync(file, "utf8")) as { execution: string; token: string };
  const tryIt = () =>
    executor.remoteWaits.complete(execution, token, value).then(
      () => "counts",
      (error: Error) => error.message,
    );
  // Until its worker has parked it nobody knows of it; a worker that dies over it may have taken it.
  await expect.poll(tryIt).toMatch(/^counts$|completed already/);
}

test.each(["parking", "parked", "settling"])(
  "a worker that is killed at %s is followed by another",
  async (stage) => {
    await work(stage);
    const result = executor.call(call("deploy", stage));
    await complete(stage, "live");
    expect(await result).toMatchObject({ value: "live", isError: false });
    expect(effects()).toEqual([stage]);
    expect(existsSync(join(folder, `died-${stage}`))).toBe(true);
  },
);

test("a parked call needs no worker, and is completed when there is one", async () => {
  const first = await work();
  const { executionId, waiting } = await executor.call(call("deploy", "j1"), { onWaiting: "return" });
  expect(waiting?.kind).toBe("deferred");
  await kill(first);
  await server.kill("SIGKILL");
  await server.restart();
  await work();
  const result = executor.resultOf(executionId);
  await complete("j1", "live");
  expect(await result).toMatchObject({ value: "live" });
  expect(effects()).toEqual(["j1"]);
});

test("an answer reaches a call whose worker was killed", async () => {
  const first = await work();
  const { executionId, waiting } = await executor.call(call("book", "j2"), { onWaiting: "return" });
  await kill(first);
  await work();
  await executor.remoteWaits.answer(waiting?.id ?? "", { by: { id: "ada" }, value: "monday" });
  expect(await executor.resultOf(executionId)).toMatchObject({ value: "monday" });
  expect(effects()).toEqual(["j2"]);
});

/** Until there is a worker nobody takes the answer. */
async function answer(question: string | undefined): Promise<void> {
  const tryIt = () =>
    executor.remoteWaits.answer(question ?? "", { by: { id: "ada" }, value: "monday" }).then(
      () => "counts",
      (error: Error) => error.message,
    );
  await expect.poll(tryIt).toMatch(/^counts$|was answered/);
}

test.each(["parking", "parked"])(
  "a call that asked runs once, though its worker was killed at %s",
  async (stage) => {
    await work(stage);
    const { executionId, waiting } = await executor.call(call("book", stage), { onWaiting: "return" });
    await expect.poll(() => existsSync(join(folder, `died-${stage}`))).toBe(true);
    await answer(waiting?.id);
    expect(await executor.resultOf(executionId)).toMatchObject({ value: "monday", isError: false });
    expect(effects()).toEqual([stage]);
  },
);

test("a call that went on with its answer is in doubt when its worker is killed", async () => {
  await work("booked");
  const { executionId, waiting } = await executor.call(call("book", "j4"), { onWaiting: "return" });
  await answer(waiting?.id);
  expect((await executor.resultOf(executionId))?.failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  expect(effects()).toEqual(["j4"]);
});

test("a worker that is killed over a check is followed by another", async () => {
  await work("checked");
  await work();
  const result = executor.call(call("deploy", "j3"));
  await expect.poll(() => existsSync(join(folder, "token-j3"))).toBe(true);
  writeFileSync(join(folder, "done-j3"), "");
  expect(await result).toMatchObject({ value: "checked" });
  expect(effects()).toEqual(["j3"]);
});
