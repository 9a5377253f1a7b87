import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../open-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-session-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const intent = {
  executionId: "exec_1",
  fingerprint: "f",
  name: "pay",
  version: undefined,
  args: {},
  callId: "c",
  runId: undefined,
};

/** Begins the execution in a thread, which then waits for ever. */
async function beginInThread(path: string, executionId: string): Promise<Worker> {
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    import(workerData.module).then(async ({ openStore }) => {
      const store = openStore(workerData.path);
      parentPort.postMessage(await store.ledger.intend(workerData.intent));
    });
    setInterval(() => {}, 1000);`;
  const worker = new Worker(program, {
    eval: true,
    execArgv: ["--conditions=@toolrig/source", "--no-warnings"],
    workerData: {
      module: new URL("../open-store.ts", import.meta.url).href,
      path,
      intent: { ...intent, executionId },
    },
  });
  const state = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  expect(state).toEqual({ state: "new" });
  return worker;
}

test("what a worker thread left open is taken up once it was terminated, while the process lives", async () => {
  const path = join(folder, "store.db");
  const store = openStore(path);
  const [ended, lasting] = [await beginInThread(path, "exec_1"), await beginInThread(path, "exec_2")];
  expect(store.ledger.open()).toMatchObject([{ running: true }, { running: true }]);
  expect(await store.ledger.intend(intent)).toEqual({ state: "running" });
  await ended.terminate();
  expect(store.ledger.open()).toMatchObject([{ running: false }, { running: true }]);
  const next = openStore(path);
  expect(next.recovered).toBe(1);
  next.close();
  expect(await store.ledger.intend(intent)).toEqual({ state: "open" });
  expect(await store.ledger.intend({ ...intent, executionId: "exec_2" })).toEqual({ state: "running" });
  await lasting.terminate();
  store.close();
});

test("recovery that failed when the file was opened is reported by verify, and done once it can be", async () => {
  const path = join(folder, "store.db");
  openStore(path).close();
  await (await beginInThread(path, "exec_1")).terminate();
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const store = openStore(path, { busyTimeout: 10 });
  expect(store.recovered).toBe(0);
  const audit = store.records.verify();
  expect(audit.ok).toBe(false);
  expect(audit.problems).toMatchObject([{ problem: "missing", message: expect.stringContaining("exec_1") }]);
  other.exec("ROLLBACK");
  await expect.poll(() => store.recovered).toBe(1);
  expect(store.records.verify().ok).toBe(true);
  other.close();
  store.close();
});
