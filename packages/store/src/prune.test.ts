import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor } from "@toolrig/core";
import { sampleRecord, scriptedTool } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "./open-store.ts";

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-prune-"));
  store = openStore(join(folder, "rig.db"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const EVERYTHING = { ledger: { maxAge: 0 }, runs: { maxAge: 0 }, artifacts: { maxAge: 0 } };

/** Time passes, so that what was written is older than 0. */
async function later(): Promise<void> {
  const now = Date.now();
  while (Date.now() <= now + 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

function payer() {
  const pay = scriptedTool({ name: "pay", safety: { sideEffects: "external" } });
  const executor = new Executor({ tools: [pay], ledger: store.ledger });
  const call = (executionId: string, runId?: string) =>
    executor.call(
      { id: "c", name: "pay", arguments: {} },
      { executionId, ...(runId !== undefined && { runId }) },
    );
  return { pay, call };
}

async function begin(runId: string): Promise<void> {
  await store.journal.begin({ runId, kind: "loop", startedAt: 1, input: null });
}

describe("what an open run may still ask for stays", () => {
  test.each([
    ["its own calls", "exec_1", "run_1"],
    ["calls of a run within it", "exec_1", "run_1/step"],
    ["calls whose id says so", "run_1/exec_1", undefined],
  ])("%s are not repeated after a prune", async (_, executionId, runId) => {
    const { pay, call } = payer();
    await begin("run_1");
    await call(executionId, runId);
    await later();
    expect((await store.prune(EVERYTHING)).ledger).toBe(0);
    expect(await call(executionId, runId)).toMatchObject({ isError: false, replayed: true });
    expect(pay.calls.length).toBe(1);
  });

  test("and goes once the run is over", async () => {
    await begin("run_1");
    await payer().call("exec_1", "run_1");
    await store.journal.append("run_1", [{ type: "end", outcome: {} } as never]);
    await later();
    expect(await store.prune(EVERYTHING)).toMatchObject({ ledger: 1, runs: 1 });
  });

  test("an artifact that it was told of stays", async () => {
    await begin("run_1");
    const [told, other] = [store.artifacts.put("a".repeat(100)), store.artifacts.put("b".repeat(100))];
    const result = { ...sampleRecord(1).result, content: [{ type: "text", text: `see ${told}` }] };
    await store.journal.append("run_1", [{ type: "result", turn: 0, result } as never]);
    await later();
    expect((await store.prune(EVERYTHING)).artifacts).toBe(1);
    expect(store.artifacts.size(told)).toBe(100);
    expect(store.artifacts.size(other)).toBeUndefined();
  });
});

test("what is in doubt stays until it is settled", async () => {
  const { call } = payer();
  await call("exec_1");
  await call("exec_1.child.1");
  await store.ledger.intend({
    executionId: "exec_2",
    fingerprint: "f",
    name: "pay",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  });
  const failure = { kind: "unknown", code: "TOOL_OUTCOME_UNKNOWN", message: "?", retryable: false } as const;
  await store.ledger.unknown("exec_2", { ...sampleRecord(1).result, isError: true, failure });
  await later();
  expect((await store.prune(EVERYTHING)).ledger).toBe(2);
  expect(store.ledger.inDoubt().map(({ executionId }) => executionId)).toEqual(["exec_2"]);
  await store.ledger.settle("exec_2", { outcome: "happened", by: { id: "ada" }, why: "seen" });
  await later();
  expect((await store.prune(EVERYTHING)).ledger).toBe(1);
});

test("the file shrinks when only artifacts go", async () => {
  for (let n = 0; n < 20; n++) store.artifacts.put(`${n}`.repeat(200_000));
  await later();
  store.close();
  const before = statSync(store.path).size;
  store = openStore(store.path);
  expect((await store.prune(EVERYTHING)).artifacts).toBe(20);
  store.close();
  expect(statSync(store.path).size).toBeLessThan(before / 4);
  store = openStore(store.path);
});

test("calls of the same process go on while it prunes", async () => {
  for (let n = 0; n < 20; n++)
    store.records.store(Array.from({ length: 100 }, (_, index) => sampleRecord(n * 100 + index)));
  const { call } = payer();
  let answered = 0;
  let isPruning = true;
  const pruned = store.prune({ records: { maxBytes: 0 } }).finally(() => {
    isPruning = false;
  });
  for (; isPruning; answered++) expect((await call(`exec_${answered}`)).isError).toBe(false);
  expect((await pruned).records).toBe(2_000);
  expect(answered).toBeGreaterThan(1);
  expect(store.records.verify().ok).toBe(true);
});
