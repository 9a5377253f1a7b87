import { expect, test } from "vitest";
import { type ApprovalDecision, type Grant, MemoryApprovalStore, type PendingApproval } from "./approvals.ts";

const ann = { id: "ann" };
const question = (): PendingApproval => ({
  executionId: "e1",
  fingerprint: "f",
  name: "send",
  args: { to: "bob", at: new Date(0) },
  reasons: ["it sends"],
  callId: "c",
  createdAt: 0,
});
const grant = (): Grant => ({
  id: "g1",
  tool: "send",
  constraints: { properties: { to: { const: "bob" } } },
  by: { ...ann },
  at: 0,
});

test("what was given can be changed afterwards, and what is kept stays", async () => {
  const store = new MemoryApprovalStore();
  const [asked, given] = [question(), grant()];
  const approval = { decision: "approved", by: { ...ann }, at: 1, args: { to: "bob" } } as const;
  const kept = store.ask(asked);
  asked.name = "other";
  (asked.args as { at: Date }).at.setTime(5);
  await kept;
  const decided = store.decide("e1", approval);
  Object.assign(approval.args, { to: "eve" });
  await decided;
  store.addGrant(given);
  delete given.constraints;
  expect(await store.get("e1")).toEqual({
    pending: question(),
    decision: { decision: "approved", by: ann, at: 1, args: { to: "bob" } },
  });
  expect(store.grants()).toEqual([grant()]);
});

test("nobody answers a question by changing what the store shows of it", async () => {
  const store = new MemoryApprovalStore();
  const decision: ApprovalDecision = { decision: "approved", by: ann, at: 1 };
  for (const shown of [
    await store.ask(question()),
    await store.ask(question()),
    await store.get("e1"),
    ...(await store.list()),
  ])
    Object.assign(shown ?? {}, { decision });
  ((await store.ask(question())).pending.args as { at: Date }).at.setTime(5);
  expect(await store.get("e1")).toEqual({ pending: question() });
});

test("nobody widens a grant by changing what the store shows of it", () => {
  const store = new MemoryApprovalStore();
  store.addGrant(grant());
  const [shown] = store.grants();
  expect(() => delete shown?.constraints).toThrow(TypeError);
  expect(() => Object.assign(shown?.constraints?.properties ?? {}, { to: true })).toThrow(TypeError);
  expect(store.grants()).toEqual([grant()]);
});
