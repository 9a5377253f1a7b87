import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Executor, tool } from "@toolrig/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "./index.ts";

const input = { type: "object" } as const;
const pay = { id: "c", name: "pay", arguments: {} };
let folder: string;
let store: Store;
let other: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-outcomes-"));
  const path = join(folder, "store.db");
  store = openStore(path, { busyTimeout: 20, maxBytes: 2_000_000 });
  other = new DatabaseSync(path);
});
afterEach(() => {
  other.close();
  store.close();
  rmSync(folder, { recursive: true });
});

/** A payment during which the file becomes unusable. */
function setUp(breakFile: () => void, value: string) {
  let paid = 0;
  const tools = [
    tool({
      name: "pay",
      description: "Pay",
      input,
      safety: { sideEffects: "external" },
      execute: () => {
        breakFile();
        paid += 1;
        return value;
      },
    }),
    tool({ name: "look", description: "Look", input, safety: { sideEffects: "read" }, execute: () => value }),
  ];
  const executor = new Executor({ tools, ledger: store.ledger, store: store.recorder });
  const healthy = async () => {
    while (!executor.health().healthy) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { executor, healthy, paid: () => paid };
}

describe.each([
  ["the file is locked", () => other.exec("BEGIN IMMEDIATE"), () => other.exec("ROLLBACK"), "paid"],
  [
    "the disk is full",
    () => other.exec("CREATE TABLE junk (x); INSERT INTO junk VALUES (zeroblob(3000000))"),
    () => other.exec("DROP TABLE junk"),
    `paid ${"x".repeat(50_000)}`,
  ],
])("while %s as a side effect ends", (_what, breakFile, mend, value) => {
  test("its outcome is answered from memory, and stored once the file can be written", async () => {
    const { executor, healthy, paid } = setUp(breakFile, value);
    expect((await executor.call(pay, { executionId: "exec_1" })).value).toBe(value);
    await executor.call({ id: "l", name: "look" });
    await executor.flush();
    expect(executor.health()).toMatchObject({ healthy: false, ledger: { completed: 0 }, recordsDropped: 0 });
    expect(executor.health().degraded).toMatch(/1 outcomes wait for the ledger.*records wait for the store/);
    expect(store.ledger.inDoubt()).toMatchObject([{ executionId: "exec_1", running: false }]);
    const again = await executor.call(pay, { executionId: "exec_1" });
    expect(again).toMatchObject({ value, replayed: true });
    mend();
    await healthy();
    expect(store.ledger.get("exec_1")).toMatchObject({ state: "completed", result: { value } });
    expect(store.ledger.inDoubt()).toEqual([]);
    await executor.drain();
    expect(executor.health()).toMatchObject({ ledger: { completed: 1, unknown: 0 }, recordsDropped: 0 });
    const { records } = store.records.query({});
    expect(records.map(({ name, result }) => [name, result.isError]).sort()).toEqual([
      ["look", false],
      ["pay", false],
    ]);
    expect([store.records.verify().ok, paid()]).toEqual([true, 1]);
  });
});

test("an intent that a call left open can be settled while its process lives", async () => {
  const intent = { executionId: "exec_1", fingerprint: "f", name: "pay", version: undefined, args: {} };
  await store.ledger.intend({ ...intent, callId: "c", runId: undefined });
  const settlement = { outcome: "happened", by: { id: "ann" }, why: "the bank says so" } as const;
  await expect(store.ledger.settle("exec_1", settlement)).rejects.toThrow("it is running");
  await store.ledger.release("exec_1");
  await store.ledger.settle("exec_1", settlement);
  expect(store.ledger.get("exec_1")).toMatchObject({ state: "completed" });
});
