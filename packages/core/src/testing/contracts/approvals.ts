import assert from "node:assert/strict";
import type { ApprovalDecision, ApprovalStore, Grant, PendingApproval } from "../../stores/approvals.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

function pendingOf(executionId: string, more: Partial<PendingApproval> = {}): PendingApproval {
  return {
    executionId,
    fingerprint: "print",
    name: "send_mail",
    args: { to: "ada" },
    reasons: ["it sends mail"],
    callId: "call_1",
    createdAt: 1_000,
    ...more,
  };
}

const APPROVED: ApprovalDecision = {
  decision: "approved",
  by: { id: "ada" },
  at: 2_000,
  args: { to: "bob" },
};
const DENIED: ApprovalDecision = { decision: "denied", by: { id: "eve" }, at: 2_001, reason: "no" };
const GRANT: Grant = { id: "grant_1", tool: "send_mail", by: { id: "ada" }, at: 3_000, until: 9_000 };

/** What every approval store must do. */
export function approvalStoreContract(make: MakeSubject<ApprovalStore>): ContractCase[] {
  return contract(make, {
    "a question comes back whole": async (store) => {
      const pending = pendingOf("e1", { runId: "r1", principal: { id: "bob" }, expiresAt: 5_000 });
      assert.deepEqual(await store.ask(pending), { pending });
      assert.deepEqual(await store.get("e1"), { pending });
      assert.equal(await store.get("e2"), undefined);
    },
    "an execution has one question, whoever asks again": async (store) => {
      await store.ask(pendingOf("e1"));
      const again = await store.ask(pendingOf("e1", { args: { to: "eve" } }));
      assert.deepEqual(again.pending.args, { to: "ada" });
    },
    "the first decision stands": async (store) => {
      await store.ask(pendingOf("e1"));
      assert.equal(await store.decide("e1", APPROVED), true);
      assert.equal(await store.decide("e1", DENIED), false);
      assert.deepEqual((await store.get("e1"))?.decision, APPROVED);
      assert.deepEqual((await store.ask(pendingOf("e1"))).decision, APPROVED);
    },
    "of many decisions at once, one counts": async (store) => {
      await store.ask(pendingOf("e1"));
      const answers = await Promise.all(Array.from({ length: 10 }, () => store.decide("e1", DENIED)));
      assert.equal(answers.filter((counted) => counted).length, 1);
    },
    "there is nothing to decide where nothing was asked": async (store) => {
      assert.equal(await store.decide("e1", APPROVED), false);
    },
    "questions are listed, oldest first, by state and run": async (store) => {
      await store.ask(pendingOf("e1", { createdAt: 1, runId: "r1" }));
      await store.ask(pendingOf("e2", { createdAt: 2, runId: "r2" }));
      await store.ask(pendingOf("e3", { createdAt: 3, runId: "r1" }));
      await store.decide("e1", DENIED);
      const ids = async (filter?: { open?: boolean; runId?: string }) =>
        (await store.list(filter)).map(({ pending }) => pending.executionId);
      assert.deepEqual(await ids(), ["e1", "e2", "e3"]);
      assert.deepEqual(await ids({ open: true }), ["e2", "e3"]);
      assert.deepEqual(await ids({ runId: "r1" }), ["e1", "e3"]);
      assert.deepEqual(await ids({ runId: "r1", open: true }), ["e3"]);
    },
    "grants come and go": async (store) => {
      await store.addGrant(GRANT);
      assert.deepEqual(await store.grants(), [GRANT]);
      assert.equal(await store.removeGrant("grant_1"), true);
      assert.equal(await store.removeGrant("grant_1"), false);
      assert.deepEqual(await store.grants(), []);
    },
    "everything is there after a restart": async (store, { reopen }) => {
      if (reopen === undefined) return;
      await store.ask(pendingOf("e1"));
      await store.decide("e1", APPROVED);
      await store.ask(pendingOf("e2"));
      await store.addGrant(GRANT);
      const again = await reopen();
      assert.deepEqual((await again.get("e1"))?.decision, APPROVED);
      assert.deepEqual(await again.list({ open: true }), [{ pending: pendingOf("e2") }]);
      assert.deepEqual(await again.grants(), [GRANT]);
    },
  });
}
