import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "./open-store.ts";

let folder: string;
let store: Store;
let other: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-locked-"));
  const path = join(folder, "rig.db");
  store = openStore(path, { busyTimeout: "100ms" });
  other = new DatabaseSync(path);
});
afterEach(() => {
  other.close();
  store.close();
  rmSync(folder, { recursive: true });
});

const intent = {
  executionId: "exec_1",
  fingerprint: "f",
  name: "pay",
  version: "1.0.0",
  callId: "c",
  runId: undefined,
  args: {},
};

test("a write waits for other processes that go on writing, and keeps no thread meanwhile", async () => {
  // Longer than a busy machine keeps this test from going on.
  store.close();
  store = openStore(join(folder, "rig.db"), { busyTimeout: "3s" });
  other.exec("CREATE TABLE theirs (x); BEGIN IMMEDIATE");
  const intended = store.ledger.intend(intent);
  // Whenever this process gets its turn, the file is locked.
  for (const end = performance.now() + 4_000; performance.now() < end; ) {
    await pause(20);
    other.exec("INSERT INTO theirs VALUES (1); COMMIT; BEGIN IMMEDIATE");
  }
  other.exec("COMMIT");
  expect(await intended).toEqual({ state: "new" });
});

test("a write is refused once one process has held the file for too long", async () => {
  other.exec("BEGIN IMMEDIATE");
  await expect(store.ledger.intend(intent)).rejects.toMatchObject({ details: { problem: "locked" } });
  other.exec("COMMIT");
  expect(await store.ledger.intend(intent)).toEqual({ state: "new" });
});

test("what was asked for while the file was locked is written when the store is closed", async () => {
  other.exec("BEGIN IMMEDIATE");
  const intended = store.ledger.intend(intent);
  await pause(1);
  other.exec("COMMIT");
  store.close();
  expect(await intended).toEqual({ state: "new" });
});
