import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CallRecord } from "@toolrig/core";
import { sampleRecord } from "@toolrig/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../open-store.ts";
import type { RecordQuery } from "./query.ts";

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-records-"));
  store = openStore(join(folder, "rig.db"));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function failed(index: number, kind: "timeout" | "transient"): CallRecord {
  const record = sampleRecord(index);
  const failure = { kind, code: "TOOL_TIMEOUT" as const, message: `took too long`, retryable: true };
  return { ...record, result: { ...record.result, isError: true, failure } };
}

function found(query: RecordQuery): number[] {
  return store.records
    .query(query)
    .records.map(({ executionId }) => Number(executionId.slice("exec_".length)));
}

describe("query", () => {
  test("finds by tool, run, execution and kind, newest first", () => {
    store.records.store([
      sampleRecord(1),
      sampleRecord(2, { name: "write_file", runId: "run_2" }),
      failed(3, "timeout"),
      failed(4, "transient"),
    ]);
    expect(found({})).toEqual([4, 3, 2, 1]);
    expect(found({ order: "oldest" })).toEqual([1, 2, 3, 4]);
    expect(found({ tool: "write_file" })).toEqual([2]);
    expect(found({ runId: "run_2" })).toEqual([2]);
    expect(found({ executionId: "exec_3" })).toEqual([3]);
    expect(found({ kind: "timeout" })).toEqual([3]);
    expect(found({ kind: "error" })).toEqual([4, 3]);
    expect(found({ kind: "ok" })).toEqual([2, 1]);
    expect(found({ tool: "write_file", kind: "error" })).toEqual([]);
  });

  test("finds by the time a call ended: from `since` on, before `until`", () => {
    store.records.store([1, 2, 3, 4].map((index) => sampleRecord(index)));
    const at = (index: number) => sampleRecord(index).endTime;
    expect(found({ since: at(2), until: at(4) })).toEqual([3, 2]);
    expect(found({ since: at(4) + 1 })).toEqual([]);
    expect(found({ until: at(1) })).toEqual([]);
    expect(found({ since: 0, until: Number.MAX_SAFE_INTEGER })).toEqual([4, 3, 2, 1]);
  });

  test("finds words in arguments, content and failures, and survives whatever is typed", () => {
    store.records.store([
      sampleRecord(1, { args: { query: "quarterly invoice" } }),
      sampleRecord(2, { args: { query: "invoice for Ægir" }, name: "send_mail" }),
      failed(3, "timeout"),
    ]);
    expect(found({ text: "invoice" })).toEqual([2, 1]);
    expect(found({ text: "INVOICE quarterly" })).toEqual([1]);
    expect(found({ text: '"invoice quarterly"' })).toEqual([]);
    expect(found({ text: '"quarterly invoice"' })).toEqual([1]);
    expect(found({ text: "quart*" })).toEqual([1]);
    expect(found({ text: "too long" })).toEqual([3]);
    expect(found({ text: "日本" })).toEqual([3, 2, 1]);
    expect(found({ text: "invoice", tool: "send_mail" })).toEqual([2]);
    expect(found({ text: "took", kind: "timeout" })).toEqual([3]);
    expect(found({ text: "took", kind: "error" })).toEqual([3]);
    for (const odd of [
      '"',
      "*",
      "AND",
      "NOT OR",
      "(",
      "a AND",
      "col:x",
      "{x}: y",
      "-x",
      "NEAR(a b)",
      "^",
      "",
      "\0",
    ])
      expect(() => found({ text: odd })).not.toThrow();
    expect(found({ text: "AND" })).toEqual([]);
  });

  test("finds by the path of an effect, or the folder it is in", () => {
    const touching = (index: number, path: string, to?: string) => {
      const record = sampleRecord(index);
      const effect = { type: "file" as const, path, op: "move" as const, ...(to !== undefined && { to }) };
      return { ...record, result: { ...record.result, effects: [effect, effect] } };
    };
    store.records.store([
      touching(1, "/srv/app/a.ts"),
      touching(2, "/srv/app2/a.ts"),
      touching(3, "/old/name", "/srv/app/deep/b.ts"),
      touching(4, "/srv/app"),
    ]);
    expect(found({ path: "/srv/app/a.ts" })).toEqual([1]);
    expect(found({ path: "/srv/app" })).toEqual([4, 3, 1]);
    expect(found({ path: "/srv/app/" })).toEqual([3, 1]);
    expect(found({ path: "/srv/%" })).toEqual([]);
  });

  test("pages through everything once, also while records are added", () => {
    store.records.store(Array.from({ length: 25 }, (_, index) => sampleRecord(index + 1)));
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = store.records.query({ limit: 10, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.records.map(({ seq }) => seq));
      cursor = page.cursor;
      store.records.store([sampleRecord(100 + seen.length)]);
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
  });

  test("says what is wrong with a limit or a cursor", () => {
    expect(() => store.records.query({ limit: 0 })).toThrow(
      "limit must be a whole number from 1 to 1000; got 0",
    );
    expect(() => store.records.query({ cursor: "1; DROP TABLE records" })).toThrow("cursor must be one that");
  });

  test("agrees with a filter over all records, whatever is combined", () => {
    const tools = ["read_file", "write_file", "run_tests"];
    const records = Array.from({ length: 300 }, (_, index) => ({
      ...(index % 7 === 0 ? failed(index, "timeout") : sampleRecord(index)),
      name: tools[index % 3]!,
      runId: `run_${index % 5}`,
    }));
    store.records.store(records);
    const all = [...store.records.all()];
    for (let round = 0; round < 100; round++) {
      const query: RecordQuery = { limit: 1_000 };
      if (round % 2 === 0) query.tool = tools[round % 3]!;
      if (round % 3 === 0)
        query.kind = (["ok", "timeout", "error"] as const)[round % 3 === 0 ? (round / 3) % 3 : 0]!;
      if (round % 5 === 0) query.runId = `run_${round % 5}`;
      if (round % 7 === 0) query.since = sampleRecord(round).endTime;
      if (round % 4 === 0) query.text = `word ${round}`;
      const expected = all.filter(
        ({ name, runId, endTime, result, args }) =>
          (query.tool === undefined || name === query.tool) &&
          (query.runId === undefined || runId === query.runId) &&
          (query.since === undefined || endTime >= query.since) &&
          (query.kind === undefined || result.isError === (query.kind !== "ok")) &&
          (query.text === undefined || (args as { query: string }).query === query.text),
      );
      expect(store.records.query(query).records.map(({ seq }) => seq)).toEqual(
        expected.map(({ seq }) => seq).reverse(),
      );
    }
  });
});

test("an execution's records and what came late of it are kept together", () => {
  const { executionId, callId, name } = sampleRecord(1);
  store.records.store([sampleRecord(1), sampleRecord(2)]);
  const late = {
    executionId,
    callId,
    name,
    at: 1_800_000_000_000,
    afterMs: 70,
    isError: false,
    value: "too late",
  };
  store.records.storeLate([late]);
  expect(store.records.get("exec_1")).toMatchObject({ records: [{ seq: 1 }], late: [late] });
  expect(found({})).toEqual([2, 1]);
  expect(store.records.verify()).toMatchObject({ ok: true, checked: 3 });
});

test("follow gives what matches as it is stored, by another process too", async () => {
  store.records.store([sampleRecord(1)]);
  const other = openStore(store.path);
  const stop = new AbortController();
  const seen: number[] = [];
  const following = (async () => {
    const options = { signal: stop.signal, everyMs: 5 };
    for await (const { seq } of store.records.follow({ tool: "search_docs" }, options)) {
      seen.push(seq);
      if (seen.length === 2) stop.abort();
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 20));
  other.records.store([sampleRecord(2), sampleRecord(3, { name: "other" })]);
  store.records.store([sampleRecord(4)]);
  await following;
  other.close();
  expect(seen).toEqual([2, 4]);
});

describe("export", () => {
  test("NDJSON has one whole record a line", () => {
    store.records.store([sampleRecord(1), sampleRecord(2)]);
    const lines = [...store.records.export("ndjson")].join("").trimEnd().split("\n");
    const { seq, hash, ...record } = JSON.parse(lines[1]!);
    expect(record).toEqual(sampleRecord(2));
    expect({ seq, hash }).toEqual(store.records.head());
  });

  test("CSV quotes what needs it and defuses formulas", () => {
    const odd = failed(1, "timeout");
    odd.result.failure!.message = '=HYPERLINK("http://evil","x"), or\nnot';
    store.records.store([odd]);
    const [header, ...rows] = [...store.records.export("csv")];
    expect(header).toMatch(/^seq,ended_at,tool,.*,hash\r\n$/);
    expect(rows.join("")).toContain(`"'=HYPERLINK(""http://evil"",""x""), or\nnot"`);
  });
});

describe("retention", () => {
  test("by age: the oldest go, and the chain of the rest still verifies", () => {
    store.records.store(Array.from({ length: 50 }, (_, index) => sampleRecord(index + 1)));
    const anchor = store.records.head();
    expect(store.records.prune({ endedBefore: sampleRecord(31).endTime })).toBe(30);
    expect(found({ order: "oldest", limit: 1 })).toEqual([31]);
    expect(found({ text: "word 12" })).toEqual([]);
    expect(found({ path: "/data/12.txt" })).toEqual([]);
    store.records.store([sampleRecord(51)]);
    expect(store.records.verify([anchor])).toMatchObject({
      ok: true,
      checked: 22,
      firstSeq: 31,
      lastSeq: 52,
      prunedAt: expect.any(Number),
    });
  });

  test("by size: as many as fit stay", () => {
    const size = JSON.stringify(sampleRecord(11)).length;
    store.records.store(Array.from({ length: 50 }, (_, index) => sampleRecord(index + 11)));
    store.records.prune({ maxBytes: size * 10 });
    const left = [...store.records.all()].length;
    expect(left).toBeGreaterThanOrEqual(10);
    expect(left).toBeLessThan(20);
    expect(store.records.verify().ok).toBe(true);
  });

  test("everything may go, and the chain goes on", () => {
    store.records.store([sampleRecord(1), sampleRecord(2)]);
    expect(store.records.prune({ maxBytes: 0 })).toBe(2);
    expect(store.records.verify()).toMatchObject({ ok: true, checked: 1 });
    expect(store.records.prune({ maxBytes: 0 })).toBe(0);
    expect([...store.records.all()]).toEqual([]);
    store.records.store([sampleRecord(3)]);
    expect(store.records.head().seq).toBe(4);
    expect(store.records.verify().ok).toBe(true);
  });
});

test("one huge call does not fill the store", () => {
  const huge = "x".repeat(3_000_000);
  const record = sampleRecord(1);
  store.records.store([
    {
      ...record,
      args: { huge },
      rawArguments: huge,
      result: { ...record.result, content: [{ type: "text", text: huge }], value: huge, details: { huge } },
    },
  ]);
  const [kept] = store.records.query().records;
  expect(JSON.stringify(kept).length).toBeLessThan(200_000);
  expect(kept!.args).toMatch(/characters left out of the record/);
});

test("administrative changes are rows of the chain that are no calls, and whoever changes one shows", () => {
  const by = { id: "ada" };
  store.records.store([sampleRecord(1)]);
  store.records.storeChange({
    action: "description.set",
    subject: "send",
    by,
    details: { description: "x" },
  });
  store.records.storeChange({ action: "token.revoked", subject: "tok_1", by });
  expect(store.records.changes()).toMatchObject([
    { seq: 3, action: "token.revoked", subject: "tok_1", by },
    { seq: 2, action: "description.set", subject: "send", by, details: { description: "x" } },
  ]);
  expect(store.records.changes({ action: "description.set" })).toHaveLength(1);
  expect(found({})).toEqual([1]);
  expect(found({ kind: "error" })).toEqual([]);
  expect(found({ text: "send" })).toEqual([]);
  expect([...store.records.all()]).toHaveLength(1);
  expect(store.records.verify()).toMatchObject({ ok: true, checked: 3 });
  const raw = new DatabaseSync(join(folder, "rig.db"));
  raw.exec(`UPDATE records SET body = replace(body, 'ada', 'eve') WHERE seq = 2`);
  raw.close();
  expect(store.records.verify().problems).toMatchObject([{ seq: 2, problem: "changed" }]);
});
