import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, tool } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { sampleRecord } from "@toolrig/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store, type StoreOptions } from "../open-store.ts";

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-recorder-"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const open = (options: StoreOptions = {}): Store => {
  store = openStore(join(folder, "rig.db"), options);
  return store;
};
const batch = (from: number, count = 100) =>
  Array.from({ length: count }, (_, index) => sampleRecord(from + index));

/** Stores enough to have a thread, and then one record at a time until it writes them. Returns the number of the next. */
async function untilThread(first: number): Promise<number> {
  for (let next = first; ; next += 1) {
    if (next === first) {
      store.recorder.store(batch(next, 1_000));
      next += 1_000;
    }
    const written = store.recorder.store(batch(next, 1));
    await written;
    if (written instanceof Promise) return next + 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function stored(): number[] {
  return [...store.records.all()].map(({ executionId }) => Number(executionId.slice("exec_".length)));
}

test("what comes fast is written by a thread, in order, in one chain with what was written before and between", async () => {
  open({ auditKey: "a key of the audit" });
  let next = await untilThread(1);
  await Promise.all([store.recorder.store(batch(next)), store.recorder.store(batch(next + 100))]);
  next += 200;
  store.records.store(batch(next, 1));
  await store.recorder.store(batch(next + 1, 5));
  const late: LateRecord = {
    executionId: "exec_1",
    callId: "c",
    name: "n",
    at: 9,
    afterMs: 1,
    isError: false,
  };
  await store.recorder.storeLate?.([late]);
  expect(stored()).toEqual(Array.from({ length: next + 5 }, (_, index) => index + 1));
  expect(store.records.get("exec_1").late).toEqual([late]);
  expect(store.records.verify()).toMatchObject({ ok: true, checked: next + 6 });
  expect(store.records.query({ text: `"word ${next + 5}"` }).records).toHaveLength(1);
});

test("calls whose ledger is written at the same time get their turn, and the thread its own", async () => {
  open();
  const input = { type: "object" } as const;
  const pay = tool({ name: "pay", description: "Pay", input, execute: () => "paid" });
  const { ledger, recorder, artifacts } = store;
  const executor = new Executor({ tools: [pay], ledger, store: recorder, artifacts });
  let next = await untilThread(1_000_000);
  let writing = true;
  const records = (async () => {
    while (writing) {
      await recorder.store(batch(next));
      next += 100;
    }
  })();
  for (let round = 0; round < 20; round++) {
    const calls = Array.from({ length: 10 }, (_, index) => ({ id: `${round}.${index}`, name: "pay" }));
    const results = await executor.batch(calls);
    expect(results.every(({ isError }) => !isError)).toBe(true);
  }
  writing = false;
  await records;
  expect(await executor.drain()).toBe(true);
  expect(executor.health().recordsDropped).toBe(0);
  expect([...store.records.all({ tool: "pay" })]).toHaveLength(200);
  expect(store.records.verify().ok).toBe(true);
});

test("what was sent before the store is closed is written", async () => {
  open();
  const next = await untilThread(1);
  const sent = store.recorder.store(batch(next));
  store.close();
  await sent;
  open();
  expect(stored()).toHaveLength(next + 99);
});

test("what does not fit is refused, and the executor is told", async () => {
  open({ maxBytes: 4_000_000 });
  let next = await untilThread(1);
  const fill = async () => {
    for (;;) {
      await store.recorder.store(batch(next));
      next += 100;
    }
  };
  await expect(fill()).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("full"),
  });
  expect(store.records.verify().ok).toBe(true);
});

test("a store in memory has no other threads", async () => {
  store = openStore(":memory:");
  for (let from = 1; from < 5_000; from += 100) expect(store.recorder.store(batch(from))).toBeUndefined();
  expect(stored()).toHaveLength(5_000);
});
