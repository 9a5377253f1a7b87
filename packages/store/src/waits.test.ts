import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, MemoryLedger, type PendingApproval, type ToolResult, tool } from "@toolrig/core";
import type { ApprovalDecision, Intent, Wait } from "@toolrig/core/kit";
import { crashableLedger, crashableWaits, FakeClock, sampleRecord } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Database } from "./database/database.ts";
import { migrate } from "./database/migrate.ts";
import { MIGRATIONS } from "./database/schema.ts";
import { openStore, type Store, type StoreOptions } from "./open-store.ts";

let folder: string;
let path: string;
let open: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-waits-"));
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

function waitOf(executionId: string, more: Partial<Wait> = {}): Wait {
  return {
    id: `${executionId}:result`,
    kind: "deferred",
    executionId,
    callId: "c",
    name: "deploy",
    createdAt: 1,
    body: {},
    ...more,
  };
}

function intentOf(executionId: string): Intent {
  return {
    executionId,
    fingerprint: "f",
    name: "deploy",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  };
}

const DONE: ToolResult = { ...sampleRecord(1).result, callId: "c", name: "deploy" };
const END = { how: "completed", at: 2 } as const;
const codesOf = (store: Store, executionId: string) =>
  store.records.get(executionId).records.map(({ result }) => result.failure?.code ?? "ok");

describe("a file of format 3", () => {
  const asked = (executionId: string, more: Partial<PendingApproval> = {}): PendingApproval => ({
    executionId,
    fingerprint: "print",
    name: "send_mail",
    args: { to: "ada", text: "naïve 日本 🎉" },
    reasons: ["it sends mail", "it is late"],
    callId: "call_1",
    createdAt: 1_000,
    ...more,
  });
  const decision: ApprovalDecision = { decision: "denied", by: { id: "eve" }, at: 2_000.5, reason: "no" };
  const questions = [
    asked("e1", { runId: "r1", principal: { id: "bob" }, expiresAt: 5_000 }),
    asked("e2", { createdAt: 1_001, expiresAt: 6_000 }),
    asked("e3", { createdAt: 1_002, reasons: [] }),
  ];

  function makeFile(): void {
    const database = new Database(path, { busyTimeoutMs: 100, readOnly: false });
    migrate(database, MIGRATIONS.slice(0, 3));
    const ask = database.prepare(
      "INSERT INTO approvals (execution_id, run_id, pending, decision, created_at) VALUES (?, ?, ?, ?, ?)",
    );
    for (const pending of questions) {
      const { executionId, runId = null, createdAt } = pending;
      const text = executionId === "e2" ? JSON.stringify(decision) : null;
      ask.run(executionId, runId, JSON.stringify(pending), text, createdAt);
    }
    database.exec(`
      INSERT INTO sessions (id, host, pid, birth, opened_at, ended, recovered) VALUES (7, 'gone', 1, '', 1, 1, 1);
      INSERT INTO ledger (id, execution_id, fingerprint, name, args, call_id, session, state, result, intended_at, closed_at, principal, source)
        VALUES (3, 'done', 'f', 'deploy', '{"a":1}', 'c', 7, 'completed', '{"attempts":1}', 5, 6, 'ada', 'cli'),
               (4, 'left', 'f', 'deploy', '{}', 'c', 7, 'open', NULL, 7, NULL, NULL, NULL)`);
    database.close();
  }

  test("has its approvals among the waits, open ones and answered ones", async () => {
    makeFile();
    const { approvals, waits } = openAt();
    expect(await approvals.list()).toEqual([
      { pending: questions[0] },
      { pending: questions[1], decision },
      { pending: questions[2] },
    ]);
    expect(waits.list({ open: true, kind: "approval" }).map(({ id }) => id)).toEqual([
      "e1:approval",
      "e3:approval",
    ]);
    expect(waits.due(9_000, 10).map(({ id }) => id)).toEqual(["e1:approval"]);
    expect(await approvals.decide("e2", decision)).toBe(false);
    expect(await approvals.decide("e1", decision)).toBe(true);
  });

  test("has them as they would have been asked by this version", async () => {
    makeFile();
    const { waits } = openAt();
    const { approvals: fresh, waits: others } = openStore(":memory:");
    for (const pending of questions.slice(0, 2)) {
      await fresh.ask(pending);
      if (pending.executionId === "e2") await fresh.decide("e2", decision);
      const id = `${pending.executionId}:approval`;
      expect(waits.get(id)).toEqual(others.get(id));
    }
  });

  test("has its ledger, whole", () => {
    makeFile();
    const { ledger } = openAt();
    expect(ledger.get("done")).toEqual({
      executionId: "done",
      fingerprint: "f",
      name: "deploy",
      version: undefined,
      args: { a: 1 },
      callId: "c",
      runId: undefined,
      at: 5,
      running: false,
      state: "completed",
      principal: "ada",
      source: "cli",
      result: { attempts: 1 },
      closedAt: 6,
    });
    expect(ledger.open()).toMatchObject([{ executionId: "left", running: false }]);
  });
});

test("of two processes that end the same waits at once, one ends each", async () => {
  const store = openAt();
  const ids = Array.from({ length: 40 }, (_, index) => `e${index}`);
  for (const id of ids) void store.waits.add(waitOf(id));
  await store.waits.add(waitOf("go"));
  const script = join(folder, "end.ts");
  writeFileSync(
    script,
    `import { openStore } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
     const { waits } = openStore(${JSON.stringify(path)}, { busyTimeout: "60s" });
     console.log("ready");
     while (waits.get("go:result").end === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
     const won = [];
     for (const id of ${JSON.stringify(ids)}) {
       const ended = await waits.revise(id + ":result", (wait) =>
         wait.end === undefined ? { ...wait, end: { how: "completed", at: 2, body: process.pid } } : undefined);
       if (ended) won.push(id);
     }
     console.log(JSON.stringify({ pid: process.pid, won }));`,
  );
  const children = [0, 1].map(() => {
    const child = spawn(process.execPath, ["--conditions=@toolrig/source", "--no-warnings", script]);
    const ready = Promise.withResolvers<void>();
    const output = { text: "" };
    child.stdout.on("data", (data) => {
      output.text += data;
      ready.resolve();
    });
    child.stderr.on("data", (data) => ready.reject(new Error(String(data))));
    const over = new Promise<string>((resolve) => child.on("close", () => resolve(output.text)));
    return { ready: ready.promise, over };
  });
  await Promise.all(children.map(({ ready }) => ready));
  await store.waits.revise("go:result", (wait) => ({ ...wait, end: END }));
  const said = await Promise.all(children.map(({ over }) => over));
  const ended = said.map((text) => JSON.parse(text.split("\n")[1] ?? "") as { pid: number; won: string[] });
  expect(ended.flatMap(({ won }) => won).sort()).toEqual([...ids].sort());
  for (const { pid, won } of ended)
    for (const id of won) expect(store.waits.get(`${id}:result`)?.end?.body).toBe(pid);
});

test("what is given can be changed afterwards, and a revision that throws leaves everything", async () => {
  const { waits } = openAt();
  const wait = { ...waitOf("e1"), body: { n: 1 } };
  const added = waits.add(wait);
  wait.body.n = 2;
  await added;
  const failing = waits.revise("e1:result", () => {
    throw new Error("no");
  });
  const beside = waits.add(waitOf("e2"));
  await expect(failing).rejects.toThrow("no");
  await beside;
  expect(waits.get("e1:result")?.body).toEqual({ n: 1 });
  expect(waits.list().map(({ executionId }) => executionId)).toEqual(["e1", "e2"]);
});

test("retention removes waits that ended, unless somebody may still ask for them", async () => {
  const { waits, ledger, journal, prune } = openAt();
  const add = (wait: Wait) => waits.add(wait);
  await add(waitOf("open"));
  await add(waitOf("gone", { end: END }));
  await add(waitOf("unfinished", { end: END, nextAt: 5 }));
  await add(waitOf("asks", { id: "asks:question-1", kind: "question", end: END }));
  await add(waitOf("asks"));
  await add(waitOf("parked", { id: "parked:approval", kind: "approval", end: END }));
  await ledger.intend(intentOf("parked"));
  await ledger.park("parked");
  await journal.begin({ runId: "run_1", kind: "loop", startedAt: 1, input: null });
  await add(waitOf("runs", { runId: "run_1", end: END }));
  expect((await prune({})).waits).toBe(0);
  expect(await prune({ ledger: { maxAge: 0 } })).toMatchObject({ ledger: 0, waits: 1 });
  expect(waits.get("gone:result")).toBeUndefined();
  expect(waits.list()).toHaveLength(6);
  expect(ledger.get("parked")?.state).toBe("waiting");
});

test("an execution that waits is found by the beginning of its id", async () => {
  const { waits, find } = openAt();
  await waits.add(waitOf("exec_abc"));
  expect(find("exec_a").executions).toEqual(["exec_abc"]);
});

test("an execution is found by its id as lists shorten it", async () => {
  const { waits, find } = openAt();
  const ids = [
    "exec_86dcfd82659047a8c8f4.00000005",
    "exec_86dcfd82659047a8c8f4.0000000z",
    "exec_86ab.00000005",
  ];
  for (const id of ids) await waits.add(waitOf(id));
  expect(find("86dcfd.5").executions).toEqual([ids[0]]);
  expect(find("exec_86dc.z").executions).toEqual([ids[1]]);
  expect(find("86.5").executions.sort()).toEqual([ids[2], ids[0]]);
  expect(find("run_86dc.5").executions).toEqual([]);
  expect(find("86dcfd.05x").executions).toEqual([]);
});

describe("an intent that waits", () => {
  async function parked(options: StoreOptions = {}): Promise<void> {
    const store = openAt(options);
    await store.ledger.intend(intentOf("e1"));
    expect(await store.ledger.park("e1")).toBe(true);
    store.close();
  }

  test("is not in doubt, and is not what a dead process left open", async () => {
    await parked();
    const store = openAt();
    expect(store.recovered).toBe(0);
    expect(store.ledger.inDoubt()).toEqual([]);
    expect(store.ledger.get("e1")).toMatchObject({ state: "waiting", waiting: true, running: false });
    const settled = store.ledger.settle("e1", { outcome: "happened", by: { id: "ada" }, why: "seen" });
    await expect(settled).rejects.toThrow("There is nothing to settle about e1: it is waiting.");
    await store.ledger.withdraw("e1");
    expect(store.ledger.get("e1")?.state).toBe("waiting");
    expect(store.records.verify().ok).toBe(true);
  });

  test("of another process that has it open is not for this one to park", async () => {
    const [here, there] = [openAt(), openAt()];
    await here.ledger.intend(intentOf("e1"));
    expect(await there.ledger.park("e1")).toBe(false);
    expect(await here.ledger.park("e1")).toBe(true);
    expect(await there.ledger.unpark("e1")).toBe(true);
    expect(await here.ledger.intend(intentOf("e1"))).toEqual({ state: "running" });
  });

  test("is recorded by whoever closes it, and only by them", async () => {
    await parked({ auditKey: "key" });
    const store = openAt({ auditKey: "key" });
    expect(await store.ledger.complete("e1", { ...DONE, executionId: "e1" })).toBe(true);
    expect(codesOf(store, "e1")).toEqual([]);
    store.records.store([sampleRecord(1, { executionId: "e1", name: "deploy" })]);
    store.close();
    const after = openAt({ auditKey: "key" });
    expect(after.recovered).toBe(0);
    expect(codesOf(after, "e1")).toEqual(["ok"]);
    expect(after.records.verify().problems).toEqual([]);
  });

  test.each(["closed", "taken up"] as const)(
    "is recorded by the next when who has %s it dies, also after records were pruned",
    async (how) => {
      await parked();
      const store = openAt();
      store.records.store([sampleRecord(1), sampleRecord(2)]);
      await store.prune({ records: { maxBytes: 0 } });
      if (how === "closed") await store.ledger.complete("e1", { ...DONE, executionId: "e1" });
      else await store.ledger.unpark("e1");
      store.close();
      const after = openAt();
      expect(after.recovered).toBe(1);
      expect(codesOf(after, "e1")).toEqual([how === "closed" ? "ok" : "TOOL_OUTCOME_UNKNOWN"]);
    },
  );

  test("shows when it was written without the key", async () => {
    await parked({ auditKey: "key" });
    const database = new Database(path, { busyTimeoutMs: 100, readOnly: false });
    database.exec('UPDATE ledger SET args = \'{"to":"eve"}\'');
    database.close();
    const store = openAt({ auditKey: "key" });
    await expect(store.ledger.unpark("e1")).rejects.toThrow(/e1/);
    expect(store.records.verify().problems).toMatchObject([{ problem: "forged" }]);
  });
});

describe("a wait that is written with the park of its execution", () => {
  test("is there with it", async () => {
    const store = openAt();
    await store.ledger.intend(intentOf("e"));
    expect(await store.waits.park(waitOf("e"), store.ledger)).toEqual({ wait: waitOf("e"), parked: true });
    expect(store.ledger.get("e")).toMatchObject({ state: "waiting", waiting: true });
    expect(store.waits.get("e:result")).toEqual(waitOf("e"));
  });

  test("is not there when the ledger refuses", async () => {
    const store = openAt({ auditKey: "key" });
    await store.ledger.intend(intentOf("e"));
    const other = new Database(path, { busyTimeoutMs: 2_000, readOnly: false });
    other.exec("UPDATE ledger SET name = 'other'");
    other.close();
    await expect(store.waits.park(waitOf("e"), store.ledger)).rejects.toThrow(/ledger's entry of e/);
    expect(store.waits.list()).toEqual([]);
  });

  test("is left to the caller where the ledger is kept elsewhere", async () => {
    const store = openAt();
    await store.ledger.intend(intentOf("e"));
    expect(store.waits.park(waitOf("e"), new MemoryLedger())).toBeUndefined();
    expect(store.waits.list()).toEqual([]);
  });
});

test("a call that was left goes on with an answer that came before the ledger said that it waits", async () => {
  const clock = new FakeClock(Date.now());
  const ran: string[] = [];
  const book = tool({
    name: "book",
    description: "Book",
    input: { type: "object" },
    async execute(_, { ask }) {
      await ask({ message: "Which day?" });
      ran.push("booked");
    },
  });
  let parks = () => {};
  const isParking = new Promise<void>((resolve) => {
    parks = resolve;
  });
  const first = openAt();
  const asker = new Executor({
    tools: [book],
    clock,
    waits: crashableWaits(first.waits, () => {}),
    ledger: {
      ...crashableLedger(first.ledger, (stage) => (stage === "before park" ? isParking : undefined)),
      book: {},
    },
  });
  const asked = asker.call({ id: "c", name: "book" }, { executionId: "e", onWaiting: "leave" });
  const second = openAt();
  await expect.poll(() => second.waits.list({ open: true })).toHaveLength(1);
  const other = new Executor({ tools: [book], clock, ledger: second.ledger, waits: second.waits });
  await other.waits.answer("e", { by: { id: "ann" }, value: "monday" });
  parks();
  expect((await asked).waiting?.kind).toBe("question");
  expect(ran).toEqual([]);
  await expect
    .poll(async () => {
      await clock.advance(10_000);
      return ran;
    })
    .toEqual(["booked"]);
  await Promise.all([asker.waits.stop(), other.waits.stop()]);
});
