import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Executor } from "@toolrig/core";
import type { Intent } from "@toolrig/core/kit";
import { sampleRecord, scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store, type StoreOptions } from "../open-store.ts";

let folder: string;
let path: string;
let open: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-verify-"));
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

function withFile(change: (file: DatabaseSync) => void): void {
  const file = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  change(file);
  file.close();
}

const problemsOf = (store: Store, anchors = [] as Parameters<Store["records"]["verify"]>[0]) =>
  store.records.verify(anchors).problems.map(({ problem }) => problem);

const KEY = { auditKey: "only the auditor knows" };
const ten = () => Array.from({ length: 10 }, (_, index) => sampleRecord(index + 1));

describe("an anchor", () => {
  test("before what retention removed can be relied on only with a key", () => {
    for (const options of [{}, KEY]) {
      path = join(folder, `${"auditKey" in options}.db`);
      const store = openAt(options);
      store.records.store(ten().slice(0, 5));
      const anchor = store.records.head();
      store.records.store(ten().slice(5));
      store.records.prune({ endedBefore: sampleRecord(8).endTime });
      expect(problemsOf(store, [anchor])).toEqual("auditKey" in options ? [] : ["removed"]);
    }
  });

  test("at the last row that was removed is compared with it", () => {
    const store = openAt();
    store.records.store(ten().slice(0, 5));
    const anchor = store.records.head();
    store.records.store(ten().slice(5));
    store.records.prune({ endedBefore: sampleRecord(6).endTime });
    expect(problemsOf(store, [anchor])).toEqual([]);
    expect(problemsOf(store, [{ ...anchor, hash: "0".repeat(64) }])).toEqual(["changed"]);
  });

  test("does not hide another of the same row", () => {
    const store = openAt();
    store.records.store(ten());
    const right = store.records.head();
    expect(problemsOf(store, [{ ...right, hash: "0".repeat(64) }, right])).toEqual(["changed"]);
  });

  test("of an empty chain fits every chain", () => {
    const store = openAt();
    const anchor = store.records.head();
    expect(problemsOf(store, [anchor])).toEqual([]);
    store.records.store(ten());
    store.records.prune({ maxBytes: 0 });
    expect(problemsOf(store, [anchor])).toEqual([]);
  });

  test("that is none is refused", () => {
    const store = openAt();
    expect(() => store.records.verify([{ seq: 1, hash: "ABC" }])).toThrow(
      "anchors[0] must be { seq, hash } as head() gives it",
    );
    expect(() => store.records.verify([null as never])).toThrow("anchors[0] must be { seq, hash }");
    const alone = store.records.head() as never;
    expect(() => store.records.verify(alone)).toThrow("anchors must be a list of what head() gave");
  });
});

test("the full-text index survives retention and huge records as it should", () => {
  const store = openAt();
  const huge = sampleRecord(11, { args: { huge: "x ".repeat(900_000) }, rawArguments: "y ".repeat(400_000) });
  store.records.store([...ten(), huge, sampleRecord(12, { args: undefined, rawArguments: "half {" })]);
  expect(problemsOf(store)).toEqual([]);
  store.records.prune({ endedBefore: sampleRecord(6).endTime });
  store.records.store(ten());
  expect(problemsOf(store)).toEqual([]);
});

test("a path that was added to a record without effects shows", () => {
  const store = openAt();
  const { effects: _, ...result } = sampleRecord(1).result;
  store.records.store([sampleRecord(1, { result })]);
  withFile((file) => file.exec("INSERT INTO record_paths VALUES ('/etc/passwd', 1)"));
  expect(problemsOf(store)).toEqual(["changed"]);
});

test("text that is not well-formed raises no alarm, and does not keep a record out", async () => {
  const store = openAt();
  const executor = new Executor({ tools: [], store: store.records });
  await executor.call({ id: "c\ud800", name: "x\ud800" }, { runId: "run\udfff", executionId: "e\ud800" });
  await executor.drain();
  const result = {
    ...sampleRecord(1).result,
    effects: ["/a\ud800", "/a\ud801"].map((name) => ({
      type: "file" as const,
      path: name,
      op: "write" as const,
    })),
  };
  store.records.store([sampleRecord(1, { result })]);
  store.records.storeLate([
    {
      executionId: "e\ud800",
      callId: "c",
      name: "x\ud800",
      at: 1,
      afterMs: 1,
      isError: false,
      value: "\ud800",
    },
  ]);
  expect(store.records.verify()).toMatchObject({ ok: true, checked: 3, problems: [] });
  expect(store.records.query({ tool: "x\ud800" }).records).toHaveLength(1);
  expect(store.records.query({ path: "/a\ud800" }).records).toHaveLength(1);
  expect(store.records.get("e\ud800")).toMatchObject({ records: [{}], late: [{}] });
});

describe("the ledger", () => {
  const intent = (executionId: string): Intent => ({
    executionId,
    fingerprint: "f",
    name: "pay",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  });
  const done = (executionId: string) => ({
    ...sampleRecord(1).result,
    executionId,
    callId: "c",
    name: "pay",
  });

  async function forge(): Promise<void> {
    const store = openAt(KEY);
    await store.ledger.intend(intent("exec_real"));
    await store.ledger.complete("exec_real", done("exec_real"));
    store.close();
    withFile((file) =>
      file.exec(
        `INSERT INTO ledger (execution_id, fingerprint, name, args, call_id, session, state, result, intended_at, closed_at, seal)
         SELECT 'exec_forged', fingerprint, name, '{"amount":1000000}', call_id, session, state, result, intended_at, closed_at, seal FROM ledger`,
      ),
    );
  }

  test("with a key, a row that somebody else wrote is neither recorded nor answered by, and shows", async () => {
    await forge();
    const store = openAt(KEY);
    expect(store.records.get("exec_forged").records).toEqual([]);
    expect(store.records.get("exec_real").records).toHaveLength(1);
    expect(problemsOf(store)).toEqual(["forged"]);
    await expect(store.ledger.intend(intent("exec_forged"))).rejects.toThrow(/not written with auditKey/);
    const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
    const executor = new Executor({ tools: [pay], ledger: store.ledger });
    const result = await executor.call({ id: "c", name: "pay" }, { executionId: "exec_forged" });
    expect(result.failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(pay.calls).toEqual([]);
  });

  test("with a key, an outcome that was changed does not count", async () => {
    const store = openAt(KEY);
    await store.ledger.intend(intent("exec_1"));
    await store.ledger.complete("exec_1", done("exec_1"));
    withFile((file) => file.exec("UPDATE ledger SET result = replace(result, 'found 1', 'found 2')"));
    await expect(store.ledger.intend(intent("exec_1"))).rejects.toThrow(/the ledger's entry of exec_1/);
    expect(problemsOf(store)).toEqual(["forged"]);
  });

  test("shows what was kept out of the audit", async () => {
    const store = openAt();
    await store.ledger.intend(intent("exec_1"));
    await store.ledger.complete("exec_1", done("exec_1"));
    store.records.store(ten());
    store.close();
    withFile((file) => file.exec("UPDATE sessions SET recovered = 1"));
    expect(problemsOf(openAt())).toEqual(["missing"]);
  });
});
