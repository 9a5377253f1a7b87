import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Executor } from "@toolrig/core";
import type { Wait } from "@toolrig/core/kit";
import { sampleRecord, scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store, type StoreOptions } from "./open-store.ts";

let folder: string;
let path: string;
let open: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-contents-"));
  path = join(folder, "rig.db");
  open = [];
});
afterEach(() => {
  for (const store of open) store.close();
  rmSync(folder, { recursive: true });
});

function openAt(options: StoreOptions = {}): Store {
  const store = openStore(path, options);
  open.push(store);
  return store;
}

const WAIT: Wait = {
  id: "exec_2:approval",
  kind: "approval",
  executionId: "exec_2",
  callId: "c",
  name: "pay",
  createdAt: 1,
  body: { amount: 1 },
};

const ARTIFACT = "pay 1000 to ada";

/** A payment, a run, an artifact and a record, then a change behind the store's back. */
async function changed(sql: string, options: StoreOptions = {}): Promise<Store> {
  const store = openAt(options);
  const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
  const executor = new Executor({ tools: [pay], ledger: store.ledger, store: store.records });
  await executor.call({ id: "c", name: "pay" }, { executionId: "exec_1" });
  await executor.drain();
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: {} });
  for (const text of ["a", "b", "c"])
    await store.journal.append("run_1", [{ type: "message", turn: 1, message: text }]);
  store.artifacts.put(ARTIFACT);
  await store.catalog.put({ kind: "tool", name: "pay", spec: { amount: 1 } });
  await store.waits.add(WAIT);
  store.close();
  const file = new DatabaseSync(path);
  file.exec(sql);
  file.close();
  return openAt(options);
}

test.each<[string, string, RegExp]>([
  [
    "a changed outcome of an execution",
    `UPDATE ledger SET result = replace(result, 'isError":false', 'isError":true')`,
    /exec_1/,
  ],
  ["a changed fingerprint of an execution", "UPDATE ledger SET fingerprint = 'x'", /exec_1/],
  ["a changed state of an execution", "UPDATE ledger SET state = 'failed'", /exec_1/],
  [
    "a changed entry of a run",
    `UPDATE journal SET body = replace(body, '"b"', '"d"')`,
    /Entry 1 of run run_1 is damaged/,
  ],
  [
    "a changed turn of an entry",
    "UPDATE journal SET turn = 7 WHERE n = 1",
    /Entry 1 of run run_1 is damaged/,
  ],
  [
    "an entry without a type",
    "UPDATE journal SET body = '{}', seal = NULL WHERE n = 1",
    /Entry 1 of run run_1 .* not an entry/,
  ],
  ["a missing entry", "DELETE FROM journal WHERE n = 1", /Run run_1 lacks 1 of 3 entries/],
  ["a missing last entry", "DELETE FROM journal WHERE n = 2", /Run run_1 lacks 1 of 3 entries/],
  ["a missing run", "PRAGMA foreign_keys = 0; DELETE FROM runs", /Run run_1 is gone, and 3 of its entries/],
  [
    "a changed piece of an artifact",
    "UPDATE artifact_pieces SET content = CAST('pay 9000 to ada' AS BLOB)",
    /Artifact art_/,
  ],
  ["a changed wait", "UPDATE waits SET expires_at = 7", /What pay \(exec_2\) waits for/],
  ["a changed entry of the catalog", "UPDATE catalog SET spec = '{}'", /The tool "pay" in the catalog/],
  ["a changed beginning of a run", "UPDATE runs SET input = '[]'", /The beginning of run run_1/],
  ["a missing piece of an artifact", "DELETE FROM artifact_pieces", /Artifact art_/],
  [
    "a record",
    "UPDATE records SET body = replace(body, 'exec_1', 'exec_2')",
    /Row 1 does not match its hash/,
  ],
])("%s is named by verify and by check", async (_, sql, message) => {
  const store = await changed(sql);
  const { ok, problems } = store.records.verify();
  expect(ok).toBe(false);
  expect(problems.map((each) => each.message)).toContainEqual(expect.stringMatching(message));
  expect(store.check()).toContainEqual(expect.stringMatching(message));
  expect((await store.verifyApart()).ok).toBe(false);
});

test("a store in order has no damage, with and without its key", async () => {
  for (const options of [{}, { auditKey: "key" }]) {
    path = join(folder, `${"auditKey" in options}.db`);
    const store = await changed("SELECT 1", options);
    expect(store.records.verify().problems).toEqual([]);
    expect(store.check()).toEqual([]);
    expect(openAt().check()).toEqual([]);
  }
});

test.each([
  ["a record", "UPDATE records SET body = substr(body, 2)", /Row 1 does not match its hash/],
  ["an outcome", "UPDATE ledger SET result = substr(result, 2)", /exec_1.* in the ledger is damaged/],
])("%s that is no longer JSON is named, and the rest is still looked at", async (_, sql, message) => {
  const store = await changed(`${sql}; DELETE FROM artifact_pieces`);
  const messages = store.records.verify().problems.map((each) => each.message);
  expect(messages).toContainEqual(expect.stringMatching(message));
  expect(messages).toContainEqual(expect.stringMatching(/Artifact art_/));
});

test("an execution whose ledger entry is damaged is refused, not repeated", async () => {
  const store = await changed("UPDATE ledger SET state = 'failed'");
  const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
  const executor = new Executor({ tools: [pay], ledger: store.ledger });
  const { failure } = await executor.call({ id: "c", name: "pay" }, { executionId: "exec_1" });
  expect(failure).toMatchObject({ code: "TOOL_UNAVAILABLE" });
  expect(failure?.message).toMatch(/its file is damaged.*the ledger's entry of exec_1/);
  expect(pay.calls).toEqual([]);
});

test.each([
  ["'{}', seal = NULL", /entry 1 of run run_1 is not an entry/],
  [`'{"type":"other"}', type = 'other', seal = NULL`, /entry 1 of run run_1 is not an entry/],
  [`'null', seal = NULL`, /entry 1 of run run_1 is not an entry/],
  [`'{"type":"message","turn":1,"message":"x"}'`, /entry 1 of run run_1 does not match its checksum/],
])(
  "a journal whose middle entry has the body %s is refused with the entry's number",
  async (body, message) => {
    const store = await changed(`UPDATE journal SET body = ${body} WHERE n = 1`);
    expect(() => store.journal.entries("run_1")).toThrow(message);
  },
);

test("with a key, an entry that was written without it is told as such", async () => {
  const store = await changed(`UPDATE journal SET body = replace(body, '"b"', '"d"')`, { auditKey: "key" });
  expect(() => store.journal.entries("run_1")).toThrow(/not written with auditKey.*entry 1 of run run_1/);
  expect(store.records.verify().ok).toBe(false);
});

test("one damaged journal entry does not keep the rest of a dead process from being recorded", async () => {
  const store = openAt();
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: {} });
  for (const n of [1, 2])
    await store.journal.append("run_1", [{ type: "result", turn: 1, result: sampleRecord(n).result }]);
  store.close();
  const file = new DatabaseSync(path);
  file.exec("UPDATE journal SET body = '{' WHERE n = 0");
  file.close();
  expect(openAt().recovered).toBe(1);
});

test.each(["'{}'", "'null'", "'[]'", `'{"result":{}}'`, `'{"result":{"content":1}}'`])(
  "a record with the body %s is told as damaged wherever it is read",
  async (body) => {
    const store = await changed(`UPDATE records SET body = ${body}`);
    const damaged = /A row of the store is damaged: it holds no record of a call/;
    expect(() => store.records.query()).toThrow(damaged);
    expect(() => [...store.records.export("ndjson")]).toThrow(damaged);
    expect(() => [...store.records.export("csv")]).toThrow(damaged);
    expect(() => store.records.get("exec_1")).toThrow(damaged);
    expect(store.records.verify().ok).toBe(false);
  },
);

test("what is damaged among the waits, the catalog and the runs is not used", async () => {
  const store = await changed(
    "UPDATE waits SET expires_at = 7; UPDATE catalog SET spec = '{}'; UPDATE runs SET input = '[]'",
  );
  const damaged = /damaged.*does not match its checksum/;
  expect(() => store.waits.get(WAIT.id)).toThrow(damaged);
  expect(store.waits.list()).toEqual([]);
  expect(store.catalog.get("tool", "pay")).toMatchObject({
    spec: undefined,
    damage: expect.stringContaining("checksum"),
  });
  expect(() => store.journal.header("run_1")).toThrow(damaged);
});
