import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Executor, reconcileOpen, type ToolResult } from "@toolrig/core";
import { failedResult, type Intent } from "@toolrig/core/kit";
import { sampleRecord, scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Database } from "./database/database.ts";
import { backupPath, migrate } from "./database/migrate.ts";
import { APPLICATION_ID } from "./database/schema.ts";
import { openStore, type Store } from "./open-store.ts";

let folder: string;
let path: string;
let open: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-store-"));
  path = join(folder, "data", "rig.db");
  open = [];
});
afterEach(() => {
  for (const store of open) store.close();
  rmSync(folder, { recursive: true });
});

function openAt(where = path, options = {}): Store {
  const store = openStore(where, options);
  open.push(store);
  return store;
}

function intentOf(executionId: string, name = "write_note"): Intent {
  return { executionId, fingerprint: "f", name, version: undefined, args: {}, callId: "c", runId: "run_1" };
}

const CALL = { id: "c", name: "write_note", arguments: {} };

const DONE: ToolResult = {
  ...sampleRecord(1).result,
  executionId: "exec_1",
  callId: "c",
  name: "write_note",
};

describe("the file", () => {
  test("is made with its folder, and for its owner only", () => {
    openAt();
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test("can be closed twice, and says so when it is used after that", async () => {
    const store = openAt();
    store.close();
    store.close();
    expect(() => store.records.query()).toThrow(/was closed/);
    await expect(store.ledger.intend(intentOf("exec_1"))).rejects.toThrow(/was closed/);
  });

  test("in memory it lives as long as the process", async () => {
    const store = openAt(":memory:");
    expect(await store.ledger.intend(intentOf("exec_1"))).toEqual({ state: "new" });
    store.records.store([sampleRecord(1)]);
    expect(store.records.verify().ok).toBe(true);
  });

  test("a limit that is too small is refused", () => {
    expect(() => openAt(path, { maxBytes: 10 })).toThrow(
      "maxBytes must be a whole number of at least 500000; got 10.",
    );
  });

  test("what waits is written when it is closed", async () => {
    const store = openAt();
    const written = store.ledger.intend(intentOf("exec_1"));
    store.close();
    expect(await written).toEqual({ state: "new" });
    expect(openAt().ledger.get("exec_1")?.state).toBe("open");
  });

  test("is whole, as far as SQLite can tell", () => {
    const store = openAt();
    store.records.store([sampleRecord(1)]);
    expect(store.check()).toEqual([]);
  });
});

describe("versions", () => {
  const STEPS = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x * 2"];
  const connect = () => new Database(join(folder, "v.db"), { busyTimeoutMs: 100, readOnly: false });

  test("an older file is copied and then migrated, data and all", () => {
    let database = connect();
    migrate(database, STEPS.slice(0, 1));
    database.exec("INSERT INTO a VALUES (21)");
    database.close();
    database = connect();
    migrate(database, STEPS);
    expect(database.prepare("SELECT y FROM a").get()).toEqual({ y: 42 });
    database.close();
    expect(statSync(backupPath(join(folder, "v.db"), 1)).mode & 0o077).toBe(0);
    const copy = new DatabaseSync(backupPath(join(folder, "v.db"), 1));
    expect(copy.prepare("SELECT * FROM a").get()).toEqual({ x: 21 });
    copy.close();
  });

  test("a copy that was cut off is made again before the file is migrated", () => {
    let database = connect();
    migrate(database, STEPS.slice(0, 1));
    database.exec("INSERT INTO a VALUES (21)");
    database.close();
    writeFileSync(backupPath(join(folder, "v.db"), 1), "");
    database = connect();
    migrate(database, STEPS);
    database.close();
    const copy = new DatabaseSync(backupPath(join(folder, "v.db"), 1));
    expect(copy.prepare("SELECT * FROM a").get()).toEqual({ x: 21 });
    copy.close();
  });

  test("a migration that fails changes nothing", () => {
    let database = connect();
    migrate(database, STEPS.slice(0, 1));
    database.exec("INSERT INTO a VALUES (21)");
    database.close();
    database = connect();
    expect(() => migrate(database, [STEPS[0]!, "CREATE TABLE b (x); nonsense"])).toThrow(/SQLite refused/);
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    expect(() => database.prepare("SELECT * FROM b")).toThrow(/no such table/);
    database.close();
  });

  test("an older file that can only be read is not read as if it were new", () => {
    const database = connect();
    migrate(database, STEPS.slice(0, 1));
    database.close();
    const reader = new Database(join(folder, "v.db"), { busyTimeoutMs: 100, readOnly: true });
    expect(() => migrate(reader, STEPS)).toThrow(/can only be read.*format 1 and must first be brought to 2/);
    reader.close();
  });

  test("a file that is up to date is not copied", () => {
    openAt().close();
    openAt();
    expect(existsSync(backupPath(path, 1))).toBe(false);
  });

  test("a newer file and a stranger's are refused and left alone", () => {
    openAt().close();
    const file = new DatabaseSync(path);
    file.exec("PRAGMA user_version = 7");
    file.close();
    expect(() => openAt()).toThrow(/written by a newer Toolrig.*format 7, this version reads up to 5/);
    expect(() => openAt(path, { readOnly: true })).toThrow(/written by a newer Toolrig/);
    const other = join(folder, "other.db");
    const stranger = new DatabaseSync(other);
    stranger.exec(`CREATE TABLE theirs (x); PRAGMA user_version = 1`);
    stranger.close();
    expect(() => openAt(other)).toThrow(/not a Toolrig store/);
    expect(APPLICATION_ID.toString(16)).toBe("54524947");
  });
});

test("the record of what somebody settles says whose call it was, and who settled it", async () => {
  const store = openAt();
  const intent = {
    fingerprint: "f",
    name: "pay",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  };
  for (const [executionId, outcome] of [
    ["e1", "happened"],
    ["e2", "never-ran"],
  ] as const) {
    await store.ledger.intend({ ...intent, executionId, principal: "bob", source: "http" });
    const failure = { kind: "timeout", code: "TOOL_TIMEOUT", message: "late", retryable: false } as const;
    await store.ledger.unknown(executionId, {
      ...sampleRecord(1).result,
      executionId,
      isError: true,
      failure,
    });
    await store.ledger.settle(executionId, { outcome, by: { id: "ada" }, why: "seen" });
    expect(store.records.get(executionId).records).toMatchObject([
      {
        principal: { id: "bob" },
        source: "http",
        result: { details: { settled: outcome, by: "ada", why: "seen" } },
      },
    ]);
  }
});

describe("an intent that is open", () => {
  /** A process whose tool has begun and does not end. */
  async function otherProcess(): Promise<{ end(): Promise<void> }> {
    const script = join(folder, "other.ts");
    const from = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
    writeFileSync(
      script,
      `import { openStore } from ${from("./index.ts")};
       import { Executor } from ${from("../../core/src/index.ts")};
       import { scriptedTool } from ${from("../../core/src/testing/index.ts")};
       const begin = () => { console.log("ready"); return new Promise(() => {}); };
       const tool = scriptedTool({ name: "write_note", safety: { sideEffects: "write" }, script: [begin] });
       const { ledger } = openStore(${JSON.stringify(path)});
       await new Executor({ tools: [tool], ledger }).call(${JSON.stringify(CALL)}, { executionId: "exec_1" });`,
    );
    const child = spawn(process.execPath, ["--conditions=@toolrig/source", "--no-warnings", script]);
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve());
      child.stderr.once("data", (text) => reject(new Error(String(text))));
    });
    return {
      async end() {
        child.kill("SIGKILL");
        await ended;
      },
    };
  }

  test("of a process that is alive is its own; of one that was killed, anybody's", async () => {
    const other = await otherProcess();
    const store = openAt();
    const write = scriptedTool({ name: "write_note", safety: { sideEffects: "write" } });
    try {
      expect(store.ledger.open()).toMatchObject([{ executionId: "exec_1", running: true }]);
      expect(await reconcileOpen(store.ledger, [write])).toEqual([]);
      const executor = new Executor({ tools: [write], ledger: store.ledger });
      const answer = await executor.call(CALL, { executionId: "exec_1" });
      expect(answer.failure).toMatchObject({
        code: "TOOL_UNAVAILABLE",
        message: expect.stringContaining("under way in another process"),
      });
      expect(write.calls).toEqual([]);
    } finally {
      await other.end();
    }
    expect(store.ledger.open()).toMatchObject([{ executionId: "exec_1", running: false }]);
    expect(await reconcileOpen(store.ledger, [write])).toMatchObject([{ outcome: "unknown" }]);
    expect(store.ledger.get("exec_1")).toMatchObject({
      state: "unknown",
      result: { failure: { code: "TOOL_OUTCOME_UNKNOWN" } },
    });
  });

  test("is closed by what its tool says became of it", async () => {
    const names = ["completed", "never_ran", "silent", "throws", "repeatable", "missing"];
    const before = openAt();
    for (const name of names) await before.ledger.intend(intentOf(`exec_${name}`, name));
    before.close();
    const store = openAt();
    const once = { sideEffects: "write" } as const;
    const tools = [
      scriptedTool({
        name: "completed",
        safety: once,
        more: { reconcile: () => ({ outcome: "completed", value: 7 }) },
      }),
      scriptedTool({
        name: "never_ran",
        safety: once,
        more: { reconcile: () => ({ outcome: "never-ran" }) },
      }),
      scriptedTool({ name: "silent", safety: once }),
      scriptedTool({
        name: "throws",
        safety: once,
        more: {
          reconcile() {
            throw new Error("no idea");
          },
        },
      }),
      scriptedTool({ name: "repeatable", safety: { sideEffects: "write", idempotent: true } }),
    ];
    const found = await reconcileOpen(store.ledger, tools);
    expect(Object.fromEntries(found.map(({ intent, outcome }) => [intent.name, outcome]))).toEqual({
      completed: "completed",
      never_ran: "never-ran",
      silent: "unknown",
      throws: "unknown",
      repeatable: "repeatable",
      missing: "no-tool",
    });
    expect(store.ledger.get("exec_completed")).toMatchObject({ state: "completed", result: { value: 7 } });
    expect(store.ledger.get("exec_never_ran")).toBeUndefined();
    expect(store.ledger.open().map(({ name }) => name)).toEqual(["repeatable", "missing"]);
  });
});

test("a run whose journal lacks a row is refused, and the row is named", async () => {
  const store = openAt();
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
  const entry = { type: "result", turn: 0, result: DONE } as const;
  await store.journal.append("run_1", [entry, entry, entry]);
  store.close();
  const file = new DatabaseSync(path);
  file.exec("DELETE FROM journal WHERE n = 1");
  file.close();
  expect(() => openAt().journal.entries("run_1")).toThrow(/damaged.*entry 1 of run run_1 is missing/);
});

test("an artifact whose bytes are no longer those of its hash is not given out", async () => {
  const store = openAt();
  const id = store.artifacts.put("pay 1000");
  store.close();
  const file = new DatabaseSync(path);
  file.exec("UPDATE artifact_pieces SET content = CAST('pay 9000' AS BLOB)");
  file.close();
  const { artifacts } = openAt();
  expect(() => artifacts.read(id, 0, 100)).toThrow(/damaged.*does not match its hash/);
  expect(() => [...(artifacts.bytes(id) ?? [])]).toThrow(/does not match its hash/);
});

test("a value that JSON cannot hold does not keep its outcome out of the ledger", async () => {
  const store = openAt();
  const circular: Record<string, unknown> = { big: 10n };
  circular.self = circular;
  for (const [index, value] of [circular, new Map([["a", 1]]), new Uint8Array(1_000_000)].entries()) {
    const executionId = `exec_${index}`;
    await store.ledger.intend(intentOf(executionId));
    await store.ledger.complete(executionId, { ...DONE, value });
  }
  const values = [0, 1, 2].map((index) => store.ledger.get(`exec_${index}`)?.result?.value);
  expect(values).toEqual([{ big: "10", self: "[circular]" }, { a: 1 }, "[1000000 bytes]"]);
});

describe("a tool that only reads", () => {
  test("is not in the ledger, unless it asks to be", async () => {
    const store = openAt();
    const safety = { sideEffects: "read", idempotent: true } as const;
    const plain = scriptedTool({ name: "read_plain", safety });
    const kept = scriptedTool({ name: "read_kept", safety, more: { ledger: true } });
    const executor = new Executor({ tools: [plain, kept], ledger: store.ledger });
    for (const name of ["read_plain", "read_kept", "read_plain", "read_kept"])
      await executor.call({ id: "c", name, arguments: {} }, { executionId: `exec_${name}` });
    expect(plain.calls.length).toBe(2);
    expect(kept.calls.length).toBe(1);
  });
});

describe("what a killed process did", () => {
  test("is recorded from the ledger and the journal by the next, once and without secrets", async () => {
    const before = openAt();
    await before.ledger.intend({ ...intentOf("exec_1"), args: { password: "hunter22" } });
    await before.ledger.complete("exec_1", DONE);
    await before.ledger.intend(intentOf("exec_open"));
    await before.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
    const call = { id: "c9", name: "read_note", arguments: '{"q":1}' };
    const result = { ...DONE, executionId: "exec_9", callId: "c9", name: "read_note" };
    await before.journal.append("run_1", [
      { type: "calls", turn: 0, calls: [{ executionId: "exec_9", call }] },
      { type: "result", turn: 0, result },
    ]);
    before.close();
    const store = openAt();
    expect(store.recovered).toBe(3);
    const found = [...store.records.all()];
    expect(found.find(({ executionId }) => executionId === "exec_1")).toMatchObject({
      args: { password: "[redacted]" },
      runId: "run_1",
      recovered: true,
    });
    expect(found.find(({ executionId }) => executionId === "exec_9")).toMatchObject({
      rawArguments: '{"q":1}',
      recovered: true,
    });
    expect(found.find(({ executionId }) => executionId === "exec_open")?.result.failure?.code).toBe(
      "TOOL_OUTCOME_UNKNOWN",
    );
    store.close();
    expect(openAt().recovered).toBe(0);
  });

  test("is not recorded as done where a model was told that the result is still to come", async () => {
    const before = openAt();
    await before.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
    const waiting = { id: "exec_9:result", kind: "deferred" } as const;
    const result = { ...DONE, executionId: "exec_9", waiting };
    await before.journal.append("run_1", [{ type: "result", turn: 0, result }]);
    before.close();
    expect(openAt().recovered).toBe(0);
  });

  test("is not recorded again once retention has removed it", async () => {
    const before = openAt();
    await before.ledger.intend(intentOf("exec_1"));
    await before.ledger.complete("exec_1", DONE);
    before.records.store([sampleRecord(1, { executionId: "exec_1", endTime: Date.now() + 1 })]);
    await before.prune({ records: { maxBytes: 0 } });
    before.close();
    expect(openAt().recovered).toBe(0);
  });

  test("is recorded although the clock was set back after a prune", async () => {
    const before = openAt();
    vi.setSystemTime(Date.now() + 3_600_000);
    before.records.store([sampleRecord(1, { endTime: Date.now() })]);
    await before.prune({ records: { maxBytes: 0 } });
    vi.useRealTimers();
    await before.ledger.intend(intentOf("exec_1"));
    await before.ledger.complete("exec_1", DONE);
    before.close();
    const store = openAt();
    expect(store.records.get("exec_1").records).toHaveLength(1);
    expect(store.records.verify().ok).toBe(true);
  });

  test("is recorded although a call that was refused under its id is on record", async () => {
    const before = openAt();
    await before.ledger.intend(intentOf("exec_1"));
    await before.ledger.complete("exec_1", DONE);
    const refused = failedResult(CALL, "exec_1", { code: "TOOL_NOT_FOUND", message: "no such tool" });
    before.records.store([sampleRecord(1, { executionId: "exec_1", name: "write_note", result: refused })]);
    before.close();
    const kinds = openAt()
      .records.get("exec_1")
      .records.map(({ result }) => result.failure?.kind ?? "ok");
    expect(kinds).toEqual(["not_found", "ok"]);
  });

  test.each(["completed", "never-ran", "unknown"] as const)(
    "is in the audit when reconcile says %s, whoever asks it",
    async (outcome) => {
      const before = openAt();
      await before.ledger.intend({ ...intentOf("exec_1"), args: { password: "hunter22" } });
      before.close();
      const store = openAt();
      const tool = scriptedTool({
        name: "write_note",
        safety: { sideEffects: "write" },
        more: { reconcile: () => ({ outcome }) },
      });
      await reconcileOpen(store.ledger, [tool]);
      const kinds = store.records.get("exec_1").records.map(({ result }) => result.failure?.kind ?? "ok");
      const last = { completed: ["ok"], "never-ran": ["cancelled"], unknown: [] }[outcome];
      expect(kinds).toEqual(["unknown", ...last]);
      expect(JSON.stringify(store.records.get("exec_1"))).not.toContain("hunter22");
      store.close();
      expect(openAt().recovered).toBe(0);
    },
  );

  test("is in the audit when it may be repeated and nobody does", async () => {
    const before = openAt();
    await before.ledger.intend(intentOf("exec_1"));
    before.close();
    const store = openAt();
    const tool = scriptedTool({ name: "write_note", safety: { sideEffects: "write", idempotent: true } });
    expect(await reconcileOpen(store.ledger, [tool])).toMatchObject([{ outcome: "repeatable" }]);
    expect(store.records.get("exec_1").records).toMatchObject([{ recovered: true }]);
    store.close();
    expect(openAt().records.get("exec_1").records).toHaveLength(1);
  });

  test("a half written artifact is swept away", async () => {
    const store = openAt();
    const { promise: never } = Promise.withResolvers<never>();
    async function* stuck() {
      yield "x".repeat(200_000);
      await never;
    }
    void store.artifacts.write(stuck()).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    store.close();
    openAt();
    const file = new DatabaseSync(path);
    expect(file.prepare("SELECT count(*) AS n FROM artifact_pieces").get()).toEqual({ n: 0 });
    file.close();
  });
});

test("a description that another process changed is seen", async () => {
  const here = openAt();
  const there = openAt();
  expect(here.descriptions.get("search")).toBeUndefined();
  there.descriptions.set("search", "better");
  await expect.poll(() => here.descriptions.get("search")).toBe("better");
  expect(here.descriptions.version).toBe(there.descriptions.version);
});

test("retention removes what is old enough of each, and keeps what is open", async () => {
  const store = openAt();
  store.records.store([sampleRecord(1)]);
  store.artifacts.put("content");
  await store.ledger.intend(intentOf("exec_1"));
  await store.ledger.complete("exec_1", DONE);
  await store.ledger.intend(intentOf("exec_2"));
  await store.journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
  await store.journal.append("run_1", [{ type: "end", outcome: null }]);
  await store.journal.begin({ runId: "run_2", kind: "loop", startedAt: 2, input: null });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const none = { records: 0, artifacts: 0, ledger: 0, waits: 0, runs: 0 };
  expect(await store.prune({})).toEqual(none);
  const all = {
    records: { maxAge: 0 },
    artifacts: { maxAge: 0 },
    ledger: { maxAge: 0 },
    runs: { maxAge: 0 },
  };
  expect(await store.prune(all)).toEqual({ records: 1, artifacts: 1, ledger: 1, waits: 0, runs: 1 });
  expect(store.ledger.open().map(({ executionId }) => executionId)).toEqual(["exec_2"]);
  expect(store.journal.runs().map(({ header }) => header.runId)).toEqual(["run_2"]);
  expect(store.journal.entries("run_1")).toEqual([]);
});

test("artifacts beyond a size go, the one used longest ago first", async () => {
  const store = openAt();
  const ids: string[] = [];
  for (const letter of ["a", "b", "c"]) {
    ids.push(store.artifacts.put(letter.repeat(1_000)));
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  store.artifacts.put("a".repeat(1_000));
  expect((await store.prune({ artifacts: { maxBytes: 2_000 } })).artifacts).toBe(1);
  expect(ids.map((id) => store.artifacts.size(id))).toEqual([1_000, undefined, 1_000]);
});
