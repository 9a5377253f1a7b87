import assert from "node:assert/strict";
import type { MaybePromise } from "../../maybe-promise.ts";
import type { CallRecord, CallStore } from "../../stores/records.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

/** A store, and how a test can read what it keeps, oldest first. */
export interface ReadableCallStore {
  store: CallStore;
  records(): MaybePromise<readonly CallRecord[]>;
}

/** A record of a call that ended, different for every number. For tests of stores. */
export function sampleRecord(index: number, more: Partial<CallRecord> = {}): CallRecord {
  const executionId = `exec_${index}`;
  const callId = `call_${index}`;
  const startTime = 1_700_000_000_000 + index * 10;
  return {
    executionId,
    callId,
    name: "search_docs",
    source: "model",
    rawArguments: `{"query":"word ${index}",}`,
    args: { query: `word ${index}` },
    result: {
      callId,
      executionId,
      name: "search_docs",
      isError: false,
      content: [{ type: "text", text: `found ${index}: naïve 日本 🎉` }],
      value: { hits: [index] },
      effects: [{ type: "file", path: `/data/${index}.txt`, op: "write", bytesAfter: 3 }],
      decoded: {
        mode: "repaired",
        degree: "exact",
        repairs: [{ kind: "trailing-comma", degree: "exact", position: 18, before: ",", after: "" }],
      },
      attempts: 2,
      durationMs: 5.25,
    },
    verdicts: [{ guard: "policy", verdict: "allow", reason: "rule 1" }],
    principal: { id: "ada", team: "docs" },
    retries: [
      {
        attempt: 1,
        delayMs: 3,
        failure: { kind: "transient", code: "TOOL_TRANSIENT", message: "again", retryable: true },
      },
    ],
    definitionHash: "ab".repeat(32),
    runId: "run_1",
    requestId: "req_1",
    stepName: "look",
    version: "1.0.0",
    startTime,
    endTime: startTime + 6,
    durationMs: 6,
    timing: { prepareMs: 0.5, waitMs: 0.25, runMs: 5, settleMs: 0.25 },
    ...more,
  };
}

/** What every call store must do. */
export function callStoreContract(make: MakeSubject<ReadableCallStore>): ContractCase[] {
  const read = async ({ records }: ReadableCallStore) =>
    (await records()).map((record) => JSON.parse(JSON.stringify(record)) as CallRecord);
  return contract(make, {
    "records come back whole and in order": async (subject) => {
      await subject.store.store([sampleRecord(1), sampleRecord(2)]);
      await subject.store.store([sampleRecord(3)]);
      assert.deepEqual(await read(subject), [sampleRecord(1), sampleRecord(2), sampleRecord(3)]);
    },
    "an empty batch changes nothing": async (subject) => {
      await subject.store.store([]);
      assert.deepEqual(await read(subject), []);
    },
    "one execution may have several records": async (subject) => {
      await subject.store.store([sampleRecord(1)]);
      await subject.store.store([sampleRecord(1)]);
      assert.deepEqual(await read(subject), [sampleRecord(1), sampleRecord(1)]);
    },
    "a value that is also the content comes back": async (subject) => {
      const base = sampleRecord(1);
      const text = { ...base.result, content: [{ type: "text" as const, text: "plain" }], value: "plain" };
      const json = { ...base.result, content: [{ type: "text" as const, text: '{"a":1}' }], value: { a: 1 } };
      const records = [sampleRecord(1, { result: text }), sampleRecord(2, { result: json })];
      await subject.store.store(records);
      assert.deepEqual(await read(subject), records);
    },
    "a call that never got to its arguments is kept": async (subject) => {
      const { args: _, version: __, ...bare } = sampleRecord(1);
      const record = { ...bare, rawArguments: "not json" } as unknown as CallRecord;
      await subject.store.store([record]);
      assert.deepEqual(await read(subject), [record]);
    },
    "everything is there after a restart": async (subject, { reopen }) => {
      if (reopen === undefined) return;
      await subject.store.store([sampleRecord(1)]);
      const again = await reopen();
      await again.store.store([sampleRecord(2)]);
      assert.deepEqual(await read(again), [sampleRecord(1), sampleRecord(2)]);
    },
  });
}
