import assert from "node:assert/strict";
import type { Wait, WaitStore } from "../../stores/waits.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

function waitOf(executionId: string, more: Partial<Wait> = {}): Wait {
  return {
    id: `${executionId}:result`,
    kind: "deferred",
    executionId,
    callId: "call_1",
    name: "deploy",
    createdAt: 1_000,
    body: { ref: { job: 7 }, text: "naïve 日本 \u2028 🎉" },
    ...more,
  };
}

const END = { how: "completed", at: 2_000, by: { id: "ada" }, body: { value: [1, null, "x"] } } as const;
const idsOf = (waits: readonly Wait[]) => waits.map(({ id }) => id);

/** What every store of waits must do. */
export function waitStoreContract(make: MakeSubject<WaitStore>): ContractCase[] {
  return contract(make, {
    "a wait comes back whole": async (store) => {
      const wait = waitOf("e1", {
        runId: "r1",
        principal: { id: "bob", roles: ["admin"] } as Wait["principal"] & object,
        note: "job 7",
        expiresAt: 9_000,
        nextAt: 1_500,
        tokens: ["a", "b"],
      });
      assert.deepEqual(await store.add(wait), wait);
      assert.deepEqual(await store.get("e1:result"), wait);
      assert.equal(await store.get("e2:result"), undefined);
    },
    "an id has one wait, whoever adds it again": async (store) => {
      await store.add(waitOf("e1"));
      assert.deepEqual((await store.add(waitOf("e1", { body: "other" }))).body, waitOf("e1").body);
      assert.equal((await store.list()).length, 1);
    },
    "a wait is revised as asked, and stays what it is": async (store) => {
      await store.add(waitOf("e1", { nextAt: 5 }));
      const revised = await store.revise("e1:result", ({ nextAt: _, ...wait }) => ({
        ...wait,
        id: "other",
        kind: "external",
        note: "changed",
      }));
      assert.equal(revised, true);
      assert.deepEqual(await store.get("e1:result"), waitOf("e1", { note: "changed" }));
      assert.equal(await store.get("other"), undefined);
    },
    "a revision may leave it, and there is nothing to revise where there is no wait": async (store) => {
      await store.add(waitOf("e1"));
      assert.equal(await store.revise("e1:result", () => undefined), false);
      assert.equal(await store.revise("e2:result", (wait) => wait), false);
      assert.deepEqual(await store.get("e1:result"), waitOf("e1"));
    },
    "of many who end it at once, one does": async (store) => {
      await store.add(waitOf("e1"));
      const ends = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.revise("e1:result", (wait) =>
            wait.end === undefined ? { ...wait, end: { ...END, body: index } } : undefined,
          ),
        ),
      );
      assert.equal(ends.filter((counted) => counted).length, 1);
      assert.equal((await store.get("e1:result"))?.end?.body, ends.indexOf(true));
    },
    "they are listed, oldest first, by state, kind, execution, run and tool": async (store) => {
      await store.add(waitOf("e1", { createdAt: 1, runId: "r1" }));
      await store.add(waitOf("e2", { createdAt: 2, runId: "r2", kind: "question" }));
      await store.add(waitOf("e3", { createdAt: 3, runId: "r1", name: "pay" }));
      await store.add(waitOf("e3", { id: "e3:question-1", createdAt: 4, kind: "question" }));
      await store.revise("e1:result", (wait) => ({ ...wait, end: END }));
      assert.deepEqual(idsOf(await store.list()), ["e1:result", "e2:result", "e3:result", "e3:question-1"]);
      assert.deepEqual(idsOf(await store.list({ open: true, limit: 2 })), ["e2:result", "e3:result"]);
      assert.deepEqual(idsOf(await store.list({ kind: "question" })), ["e2:result", "e3:question-1"]);
      assert.deepEqual(idsOf(await store.list({ runId: "r1" })), ["e1:result", "e3:result"]);
      assert.deepEqual(idsOf(await store.list({ executionId: "e3" })), ["e3:result", "e3:question-1"]);
      assert.deepEqual(idsOf(await store.list({ name: "pay" })), ["e3:result"]);
      assert.deepEqual(idsOf(await store.list({ runId: "r3" })), []);
    },
    "what is due is found, the most overdue first, ended or not": async (store) => {
      await store.add(waitOf("e1", { nextAt: 30 }));
      await store.add(waitOf("e2", { nextAt: 10 }));
      await store.add(waitOf("e3", { nextAt: 20 }));
      await store.add(waitOf("e4"));
      await store.revise("e3:result", (wait) => ({ ...wait, end: END }));
      assert.deepEqual(idsOf(await store.due(9, 10)), []);
      assert.deepEqual(idsOf(await store.due(30, 10)), ["e2:result", "e3:result", "e1:result"]);
      assert.deepEqual(idsOf(await store.due(30, 1)), ["e2:result"]);
      await store.revise("e2:result", (wait) => ({ ...wait, nextAt: 40 }));
      await store.revise("e1:result", ({ nextAt: _, ...wait }) => wait);
      assert.deepEqual(idsOf(await store.due(39, 10)), ["e3:result"]);
      assert.deepEqual(idsOf(await store.due(40, 10)), ["e3:result", "e2:result"]);
    },
    "those that wait are counted by kind, with the oldest": async (store) => {
      assert.deepEqual(await store.counts(), []);
      await store.add(waitOf("e1", { createdAt: 3 }));
      await store.add(waitOf("e2", { createdAt: 2 }));
      await store.add(waitOf("e3", { createdAt: 1 }));
      await store.add(waitOf("e4", { createdAt: 4, kind: "approval" }));
      await store.revise("e3:result", (wait) => ({ ...wait, end: END }));
      const counts = [...(await store.counts())].sort((a, b) => a.count - b.count);
      assert.deepEqual(
        counts.map((each) => ({ ...each })),
        [
          { kind: "approval", count: 1, oldest: 4 },
          { kind: "deferred", count: 2, oldest: 2 },
        ],
      );
    },
    "ids and names of any kind are kept apart": async (store) => {
      const odd = ["a b", "a*b", "a>b", "ä.日本", "x".repeat(200), "A B", "a/b"];
      for (const [index, id] of odd.entries()) await store.add(waitOf(id, { createdAt: index }));
      assert.deepEqual(
        (await store.list()).map(({ executionId }) => executionId),
        odd,
      );
      for (const id of odd) assert.equal((await store.get(`${id}:result`))?.executionId, id);
    },
    "what was kept is there after a restart": async (store, { reopen }) => {
      if (reopen === undefined) return;
      await store.add(waitOf("e1", { nextAt: 5 }));
      await store.add(waitOf("e2"));
      await store.revise("e2:result", (wait) => ({ ...wait, end: END }));
      const again = await reopen();
      assert.deepEqual(idsOf(await again.due(5, 10)), ["e1:result"]);
      assert.deepEqual(await again.get("e2:result"), waitOf("e2", { end: END }));
    },
  });
}
