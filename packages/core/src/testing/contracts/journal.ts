import assert from "node:assert/strict";
import { ToolrigError } from "../../failure/failure.ts";
import type { Journal, JournalEntry, RunHeader } from "../../stores/journal.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

function headerOf(runId: string, more: Partial<RunHeader> = {}): RunHeader {
  return { runId, kind: "loop", startedAt: 1_700_000_000_000, input: { prompt: "hello" }, ...more };
}

const ENTRIES: JournalEntry[] = [
  { type: "message", turn: 0, message: { role: "user", content: "naïve 日本 🎉 \u0000" } },
  { type: "calls", turn: 0, calls: [{ executionId: "e1", call: { id: "c1", name: "ls", arguments: "{}" } }] },
  {
    type: "result",
    turn: 0,
    result: {
      callId: "c1",
      executionId: "e1",
      name: "ls",
      isError: false,
      content: [{ type: "text", text: "a.txt" }],
      decoded: { mode: "strict", degree: "exact", repairs: [] },
      attempts: 1,
      durationMs: 2,
    },
  },
  { type: "principal", principal: { id: "eve" } },
  { type: "message", turn: 1, message: { role: "assistant", content: [] } },
];

function isStoreFailed(error: unknown): boolean {
  return ToolrigError.isInstance(error) && error.code === "STORE_FAILED";
}

/** What every journal must do. */
export function journalContract(make: MakeSubject<Journal>): ContractCase[] {
  return contract(make, {
    "an unknown run has no header and no entries": async (journal) => {
      assert.equal(await journal.header("run_1"), undefined);
      assert.deepEqual(await journal.entries("run_1"), []);
    },
    "a header comes back whole": async (journal) => {
      const header = headerOf("run_1", {
        requestId: "req",
        principal: { id: "bob", roles: ["clerk"] },
        forkedFrom: { runId: "run_0", turn: 3 },
      });
      await journal.begin(header);
      assert.deepEqual(await journal.header("run_1"), header);
    },
    "entries come back whole and in order, over several appends": async (journal) => {
      await journal.begin(headerOf("run_1"));
      await journal.append("run_1", ENTRIES.slice(0, 1));
      await journal.append("run_1", ENTRIES.slice(1));
      assert.deepEqual(await journal.entries("run_1"), ENTRIES);
    },
    "a run that waits is not over, until somebody goes on with it": async (journal) => {
      await journal.begin(headerOf("run_1"));
      await journal.append("run_1", ENTRIES);
      await journal.append("run_1", [{ type: "waiting", outcome: { status: "waiting" } }], ENTRIES.length);
      const [waiting] = await journal.runs({ ended: false });
      assert.deepEqual(waiting?.waiting, { outcome: { status: "waiting" } });
      assert.equal(waiting?.end, undefined);
      await journal.append("run_1", [{ type: "resumed" }], ENTRIES.length + 1);
      const [resumed] = await journal.runs({ ended: false });
      assert.equal(resumed?.waiting, undefined);
      await journal.append("run_1", [{ type: "end", outcome: { status: "answered" } }]);
      const [ended] = await journal.runs({ ended: true });
      assert.deepEqual([ended?.end, ended?.waiting], [{ outcome: { status: "answered" } }, undefined]);
    },
    "of two that continue a run at once, one is refused and writes nothing": async (journal) => {
      await journal.begin(headerOf("run_1"));
      await journal.append("run_1", ENTRIES.slice(0, 1), 0);
      await journal.append("run_1", ENTRIES.slice(1, 3), 1);
      await assert.rejects(async () => journal.append("run_1", ENTRIES.slice(0, 2), 1), isStoreFailed);
      await assert.rejects(async () => journal.append("run_1", ENTRIES, 4), isStoreFailed);
      const both = await Promise.allSettled(
        [1, 2].map(async () => journal.append("run_1", ENTRIES.slice(3), 3)),
      );
      assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.deepEqual(await journal.entries("run_1"), ENTRIES);
    },
    "appends that are not waited for keep their order": async (journal) => {
      await journal.begin(headerOf("run_1"));
      const entries = Array.from(
        { length: 50 },
        (_, turn): JournalEntry => ({ type: "message", turn, message: turn }),
      );
      await Promise.all(entries.map((entry) => journal.append("run_1", [entry])));
      assert.deepEqual(await journal.entries("run_1"), entries);
    },
    "a run begins once": async (journal) => {
      await journal.begin(headerOf("run_1"));
      await assert.rejects(async () => journal.begin(headerOf("run_1")), isStoreFailed);
    },
    "nothing is appended to a run that did not begin": async (journal) => {
      await assert.rejects(async () => journal.append("run_1", ENTRIES), isStoreFailed);
      assert.deepEqual(await journal.entries("run_1"), []);
    },
    "runs do not mix": async (journal) => {
      await journal.begin(headerOf("run_1"));
      await journal.begin(headerOf("run_2"));
      await journal.append("run_1", ENTRIES.slice(0, 1));
      await journal.append("run_2", ENTRIES.slice(1));
      assert.deepEqual(await journal.entries("run_1"), ENTRIES.slice(0, 1));
      assert.deepEqual(await journal.entries("run_2"), ENTRIES.slice(1));
    },
    "runs are listed, the latest first, by state and kind, page by page": async (journal) => {
      for (const [index, kind] of (["loop", "plan", "loop"] as const).entries())
        await journal.begin(headerOf(`run_${index}`, { kind, startedAt: 1_000 + index }));
      await journal.append("run_2", ENTRIES);
      await journal.append("run_2", [{ type: "end", outcome: { text: "done" } }]);
      const ids = async (query?: Parameters<Journal["runs"]>[0]) =>
        (await journal.runs(query)).map(({ header }) => header.runId);
      assert.deepEqual(await ids(), ["run_2", "run_1", "run_0"]);
      assert.deepEqual(await ids({ ended: false }), ["run_1", "run_0"]);
      assert.deepEqual(await ids({ ended: true }), ["run_2"]);
      assert.deepEqual(await ids({ kind: "plan" }), ["run_1"]);
      assert.deepEqual(await ids({ limit: 1 }), ["run_2"]);
      assert.deepEqual(await ids({ limit: 1, before: 1_002 }), ["run_1"]);
      const [latest] = await journal.runs({ limit: 1 });
      assert.equal(latest?.turns, 1);
      assert.equal(latest?.entries, ENTRIES.length + 1);
      assert.deepEqual(latest?.end, { outcome: { text: "done" } });
    },
    "everything is there after a restart": async (journal, { reopen }) => {
      if (reopen === undefined) return;
      await journal.begin(headerOf("run_1"));
      await journal.append("run_1", ENTRIES);
      const again = await reopen();
      assert.deepEqual(await again.header("run_1"), headerOf("run_1"));
      assert.deepEqual(await again.entries("run_1"), ENTRIES);
      await again.append("run_1", [{ type: "end", outcome: null }]);
      assert.equal((await again.entries("run_1")).length, ENTRIES.length + 1);
    },
  });
}
