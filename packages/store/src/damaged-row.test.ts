import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sampleRecord } from "@toolrig/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "./open-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-damaged-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A store, written by `fill` and then changed behind its back. */
async function damaged(fill: (store: Store) => unknown, sql: string): Promise<Store> {
  const path = join(folder, "rig.db");
  const store = openStore(path);
  await fill(store);
  store.close();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return openStore(path);
}

test("one damaged row of the catalog leaves the others readable, and can be removed or written anew", async () => {
  const store = await damaged(async ({ catalog }) => {
    for (const name of ["a", "b", "c"]) await catalog.put({ kind: "tool", name, spec: { name } });
  }, `UPDATE catalog SET spec = '{"na' WHERE name <> 'b'`);
  const entries = store.catalog.list("tool");
  expect(entries.map(({ spec }) => spec)).toEqual([undefined, { name: "b" }, undefined]);
  expect(entries.map(({ damage }) => damage)).toEqual([
    expect.stringMatching(/JSON/),
    undefined,
    expect.stringMatching(/JSON/),
  ]);
  expect(store.catalog.get("tool", "a")?.damage).toMatch(/JSON/);
  expect(await store.catalog.remove("tool", "a")).toBe(true);
  expect(await store.catalog.put({ kind: "tool", name: "c", spec: 1 })).not.toHaveProperty("damage");
  store.close();
});

const header = { runId: "run_1", kind: "loop", startedAt: 1, input: {} } as const;

test.each<[string, (store: Store) => unknown, string, (store: Store) => unknown]>([
  [
    "a record",
    ({ records }) => records.store([sampleRecord(1)]),
    "UPDATE records SET body = '{'",
    ({ records }) => records.query(),
  ],
  [
    "a run",
    ({ journal }) => journal.begin(header),
    "UPDATE runs SET input = ''",
    ({ journal }) => journal.runs(),
  ],
  [
    "a grant",
    ({ approvals }) => approvals.addGrant({ id: "g", tool: "t", by: { id: "ada" }, at: 1, until: 2 }),
    "UPDATE grants SET body = 'x'",
    ({ approvals }) => approvals.grants(),
  ],
])("%s that is damaged is told as such, not as an error of a parser", async (_, fill, sql, read) => {
  const store = await damaged(fill, sql);
  await expect((async () => read(store))()).rejects.toMatchObject({
    code: "STORE_FAILED",
    details: { problem: "corrupt" },
    message: expect.stringMatching(/^A row of the store is damaged: it holds no JSON \(/),
  });
  store.close();
});
