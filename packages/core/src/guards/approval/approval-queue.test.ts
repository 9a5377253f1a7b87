import { expect, test } from "vitest";
import { z } from "zod";
import {
  type ApprovalAnswer,
  ApprovalQueue,
  type ApprovalQueueOptions,
  Executor,
  type GrantScope,
  MemoryCallStore,
  tool,
} from "../../index.ts";
import { MemoryApprovalStore } from "../../kit.ts";
import { FakeClock } from "../../testing/index.ts";

const ann = { id: "ann" };

function rig(options: ApprovalQueueOptions = {}) {
  const ran: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: {
      type: "object",
      properties: { amount: { type: "number", maximum: 1_000 } },
      required: ["amount"],
    },
    safety: { sideEffects: "external" },
    approval: true,
    execute: ({ amount }) => {
      ran.push(amount);
      return `paid ${amount}`;
    },
  });
  const queue = new ApprovalQueue({ pollEvery: "5ms", ...options });
  const executor = new Executor({ tools: [pay], approve: queue.approver });
  const start = (
    amount: number,
    more: { runId?: string; executionId?: string; principal?: { id: string }; signal?: AbortSignal } = {},
  ) => executor.call({ id: "c", name: "pay", arguments: { amount } }, more);
  const waiting = async (count = 1) => {
    for (;;) {
      const open = await queue.store.list({ open: true });
      if (open.length >= count) return open.map((entry) => entry.pending);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  return { queue, start, waiting, ran };
}

test("a call waits until it is approved, and then runs once", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  expect(pending).toMatchObject({ name: "pay", args: { amount: 5 }, reasons: ["pay requires approval"] });
  expect(ran).toEqual([]);
  await queue.approve(pending!.executionId, { by: ann });
  expect((await call).content).toEqual([{ type: "text", text: "paid 5" }]);
  expect(ran).toEqual([5]);
});

test("edited arguments run instead, after being validated again; both versions stay on record", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  await queue.approve(pending!.executionId, { by: ann, args: { amount: 3 } });
  await call;
  expect(ran).toEqual([3]);
  const entry = await queue.store.get(pending!.executionId);
  expect(entry).toMatchObject({ pending: { args: { amount: 5 } }, decision: { args: { amount: 3 } } });
});

test("an edit under a name that is none runs nothing, and the question stays open", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  const misspelt = { by: ann, arguments: { amount: 3 } };
  await expect(queue.approve(pending!.executionId, misspelt)).rejects.toThrow('Unknown option "arguments"');
  expect(ran).toEqual([]);
  await queue.approve(pending!.executionId, { by: ann, args: { amount: 3 } });
  await call;
  expect(ran).toEqual([3]);
});

test("arguments edited into something invalid are refused, and the question stays open", async () => {
  const store = new MemoryApprovalStore();
  const { queue, start, waiting, ran } = rig({ store });
  const call = start(5);
  const [pending] = await waiting();
  const elsewhere = new ApprovalQueue({ store });
  for (const answering of [queue, elsewhere]) {
    const edit = answering.approve(pending!.executionId, { by: ann, args: { amount: 5_000 } });
    await expect(edit).rejects.toThrow(/still waits: amount: expected number ≤ 1000/);
  }
  expect((await queue.store.get(pending!.executionId))?.decision).toBeUndefined();
  await elsewhere.approve(pending!.executionId, { by: ann, args: { amount: 7 } });
  await call;
  expect(ran).toEqual([7]);
});

test("what only a schema library can say of an edit is asked where the call waits", async () => {
  const even = z.object({
    n: z.number().refine((n) => n % 2 === 0),
    sum: z.number().transform((sum) => sum * 100),
  });
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: even,
    approval: true,
    execute: ({ sum }) => sum,
  });
  const queue = new ApprovalQueue();
  const executor = new Executor({ tools: [pay], approve: queue.approver });
  const call = executor.call(
    { id: "c", name: "pay", arguments: { n: 2, sum: 5 } },
    { executionId: "exec_1" },
  );
  await expect.poll(() => queue.store.get("exec_1")).toBeDefined();
  const edit = (args: unknown) => queue.approve("exec_1", { by: ann, args });
  await expect(edit({ n: 3, sum: 500 })).rejects.toThrow(/still waits/);
  await edit({ n: 4, sum: 300 });
  expect((await call).value).toBe(300);
});

test("a denial is told with its reason", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  await queue.deny(pending!.executionId, { by: ann, reason: "too early" });
  expect((await call).failure).toMatchObject({ code: "TOOL_APPROVAL_REJECTED", message: /too early/ });
  expect(ran).toEqual([]);
});

test("a question is answered once", async () => {
  const { queue, start, waiting } = rig();
  const call = start(5);
  const [pending] = await waiting();
  const answers = await Promise.allSettled([
    queue.approve(pending!.executionId, { by: ann }),
    queue.deny(pending!.executionId, { by: ann }),
  ]);
  expect(answers.filter((answer) => answer.status === "rejected")).toHaveLength(1);
  await call;
  await expect(queue.approve(pending!.executionId, { by: ann })).rejects.toThrow(/already/);
});

test("nobody approves what is done on their own behalf", async () => {
  const { queue, start, waiting } = rig();
  const call = start(5, { principal: ann });
  const [pending] = await waiting();
  await expect(queue.approve(pending!.executionId, { by: ann })).rejects.toThrow(/"ann" may not answer/);
  await queue.deny(pending!.executionId, { by: { id: "bob" } });
  await call;
});

test.each(["Ann", "ANN", " ann", "a\u200bnn", "\uff41nn"])("%j is ann, too", async (id) => {
  const { queue, start, waiting } = rig();
  const call = start(5, { principal: ann });
  const [pending] = await waiting();
  await expect(queue.approve(pending!.executionId, { by: { id } })).rejects.toThrow(/may not answer/);
  await queue.deny(pending!.executionId, { by: { id: "bob" } });
  await call;
});

test("an answer that a process with other rules let through does not count", async () => {
  const store = new MemoryApprovalStore();
  const { start, waiting, ran } = rig({ store, mayAnswer: ({ id }) => id === "boss" });
  const call = start(5);
  const [pending] = await waiting();
  await new ApprovalQueue({ store }).approve(pending!.executionId, { by: { id: "intern" } });
  expect((await call).failure).toMatchObject({
    code: "TOOL_APPROVAL_REJECTED",
    message: /"intern", who may not/,
  });
  expect(ran).toEqual([]);
});

test("what was approved for one principal does not run for another", async () => {
  const store = new MemoryApprovalStore();
  const first = rig({ store });
  void first.start(5, { executionId: "exec_1", principal: ann });
  await first.waiting();
  await first.queue.approve("exec_1", { by: { id: "bob" } });
  const second = rig({ store });
  const under = (principal?: { id: string }) =>
    second.start(5, { executionId: "exec_1", ...(principal !== undefined && { principal }) });
  for (const principal of [{ id: "eve" }, undefined])
    expect((await under(principal)).failure?.message).toMatch(/another principal/);
  expect((await under(ann)).isError).toBe(false);
  expect(second.ran).toEqual([5]);
});

test("an answer for other arguments is refused", async () => {
  const { queue, start, waiting } = rig();
  const call = start(5);
  const [pending] = await waiting();
  await expect(queue.approve(pending!.executionId, { by: ann, fingerprint: "other" })).rejects.toThrow(
    /other arguments/,
  );
  await queue.deny(pending!.executionId, { by: ann });
  await call;
});

test("after a restart the same execution finds its answer, and other arguments under its id do not", async () => {
  const store = new MemoryApprovalStore();
  const first = rig({ store });
  void first.start(5, { executionId: "exec_1" });
  await first.waiting();
  const second = rig({ store });
  await second.queue.approve("exec_1", { by: ann });
  expect((await second.start(6, { executionId: "exec_1" })).failure?.message).toMatch(/other arguments/);
  expect((await second.start(5, { executionId: "exec_1" })).isError).toBe(false);
});

test("a grant answers similar calls, within its constraints and its run", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5, { runId: "r1" });
  const [pending] = await waiting();
  const constraints = { properties: { amount: { maximum: 10 } } };
  await queue.approve(pending!.executionId, { by: ann, always: { constraints, thisRun: true } });
  await call;
  expect((await start(8, { runId: "r1" })).isError).toBe(false);
  const beyond = start(11, { runId: "r1" });
  const elsewhere = start(8, { runId: "r2" });
  const open = await waiting(2);
  for (const each of open) await queue.deny(each.executionId, { by: ann });
  expect([(await beyond).isError, (await elsewhere).isError]).toEqual([true, true]);
  expect(ran).toEqual([5, 8]);
});

test("a question that nobody answers in time counts as denied", async () => {
  const clock = new FakeClock();
  const { start, ran } = rig({ clock, expireAfter: "1m", pollEvery: "10s" });
  const call = start(5);
  await clock.advance(59_000);
  await clock.advance(1_000);
  expect((await call).failure?.message).toMatch(/nobody answered in time/);
  expect(ran).toEqual([]);
});

test("a new message from the user supersedes what the run still asks", async () => {
  const { queue, start, waiting } = rig();
  const call = start(5, { runId: "r1" });
  const other = start(6, { runId: "r2" });
  const open = await waiting(2);
  expect(await queue.supersede("r1")).toBe(1);
  expect((await call).failure?.message).toMatch(/new message/);
  await queue.deny(open.find((each) => each.runId === "r2")!.executionId, { by: ann });
  await other;
});

test("a cancelled call withdraws its question", async () => {
  const { queue, start, waiting } = rig();
  const controller = new AbortController();
  const call = start(5, { signal: controller.signal });
  const [pending] = await waiting();
  controller.abort();
  expect((await call).failure?.kind).toBe("cancelled");
  await expect
    .poll(async () => (await queue.store.get(pending!.executionId))?.decision?.decision)
    .toBe("superseded");
});

test("an execution that was denied stays denied, whatever is granted later", async () => {
  const store = new MemoryApprovalStore();
  const first = rig({ store });
  void first.start(5, { executionId: "exec_1" });
  void first.start(6, { executionId: "exec_2" });
  await first.waiting(2);
  await first.queue.deny("exec_1", { by: ann, reason: "no" });
  await first.queue.approve("exec_2", { by: ann, args: { amount: 3 }, always: {} });
  const second = rig({ store });
  expect((await second.start(5, { executionId: "exec_1" })).failure?.message).toMatch(/no/);
  await second.start(6, { executionId: "exec_2" });
  await second.start(7, { executionId: "exec_3" });
  expect(second.ran).toEqual([3, 7]);
});

test("a grant that cannot be as narrow as was meant is refused, and nothing is decided", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  const approve = (always: GrantScope) => queue.approve(pending!.executionId, { by: ann, always });
  await expect(approve({ thisRun: true })).rejects.toThrow(/not called in a run/);
  await expect(approve({ thisPrincipal: true })).rejects.toThrow(/no principal/);
  await expect(approve({ constraints: { propertis: {} } })).rejects.toThrow(/propertis is no keyword/);
  await expect(approve({ for: "soon" as never })).rejects.toThrow(/always.for/);
  expect([ran, await queue.store.grants()]).toEqual([[], []]);
  await queue.deny(pending!.executionId, { by: ann });
  await call;
});

test("leaving out what a grant bounds is not within it", async () => {
  const { queue, start, waiting } = rig();
  const call = start(5);
  const [pending] = await waiting();
  const constraints = { properties: { note: { const: "small" } } };
  await queue.approve(pending!.executionId, { by: ann, always: { constraints } });
  await call;
  const next = start(6);
  const [asked] = await waiting();
  await queue.deny(asked!.executionId, { by: ann });
  expect((await next).isError).toBe(true);
});

test("an answer after the time is up does not count, even if nobody has noticed yet", async () => {
  const clock = new FakeClock();
  const store = new MemoryApprovalStore();
  const first = rig({ store, clock, expireAfter: "1m", pollEvery: "1h" });
  void first.start(5, { executionId: "exec_1" });
  await clock.advance(0);
  const later = new FakeClock();
  await later.advance(clock.now() - later.now() + 60_000);
  const second = rig({ store, clock: later });
  await expect(second.queue.approve("exec_1", { by: ann })).rejects.toThrow(/in time/);
  expect((await second.start(5, { executionId: "exec_1" })).failure?.message).toMatch(/in time/);
  expect([...first.ran, ...second.ran]).toEqual([]);
});

test("a remembered answer of a pure tool does not go around an approval", async () => {
  let asked = 0;
  const look = tool({
    name: "look",
    description: "Look",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    pure: true,
    approval: true,
    execute: () => "seen",
  });
  const approve = () => {
    asked += 1;
    return { approved: asked === 1 };
  };
  const executor = new Executor({ tools: [look], approve });
  const call = async () =>
    (await executor.call({ id: "c", name: "look", arguments: {} }, { runId: "r" })).failure?.code ?? "ok";
  expect([await call(), await call()]).toEqual(["ok", "TOOL_APPROVAL_REJECTED"]);
});

test("stopping the executor ends the wait", async () => {
  const queue = new ApprovalQueue({ pollEvery: "5ms" });
  const ask = tool({
    name: "ask",
    description: "Ask",
    input: { type: "object" },
    approval: true,
    execute: () => 1,
  });
  const executor = new Executor({ tools: [ask], approve: queue.approver });
  const call = executor.call({ id: "c", name: "ask", arguments: {} }, { executionId: "exec_1" });
  await expect.poll(() => queue.store.get("exec_1")).toBeDefined();
  await executor.stop();
  expect((await call).failure?.kind).toBe("cancelled");
  await expect.poll(async () => (await queue.store.get("exec_1"))?.decision?.decision).toBe("superseded");
  await expect(queue.approve("exec_1", { by: ann })).rejects.toThrow(/superseded already/);
});

test("open questions are always kept; of answered ones, the latest", async () => {
  const store = new MemoryApprovalStore(2);
  const ask = (executionId: string) =>
    store.ask({ executionId, fingerprint: "f", name: "n", args: {}, reasons: [], callId: "c", createdAt: 0 });
  for (const id of ["open", "a", "b", "c"]) await ask(id);
  for (const id of ["a", "b", "c"]) await store.decide(id, { decision: "expired", at: 0 });
  expect((await store.list()).map(({ pending }) => pending.executionId)).toEqual(["open", "b", "c"]);
});

test("the record says who answered, why, and that the arguments were changed", async () => {
  const records = new MemoryCallStore();
  const answers: ApprovalAnswer[] = [
    { approved: true, by: { id: "ann" }, args: { amount: 2 } },
    { approved: false, by: { id: "ann" }, reason: "too much" },
  ];
  const pay = tool({
    name: "pay",
    description: "Pay",
    input: { type: "object" },
    approval: true,
    execute: () => 1,
  });
  const executor = new Executor({ tools: [pay], store: records, approve: () => answers.shift()! });
  for (const id of ["1", "2"]) await executor.call({ id, name: "pay", arguments: { amount: 9 } });
  await executor.drain();
  const [edited, denied] = records.records();
  expect(edited).toMatchObject({ rawArguments: { amount: 9 }, args: { amount: 2 } });
  expect([edited, denied].map((record) => record!.verdicts.at(-1)?.reason)).toEqual([
    "answered by ann, with other arguments",
    "answered by ann: too much",
  ]);
});

test("what an answerer does with the answer after giving it changes nothing", async () => {
  const { queue, start, waiting, ran } = rig();
  const call = start(5);
  const [pending] = await waiting();
  const constraints = { properties: { amount: { maximum: 10 } } };
  const args = { amount: 7 };
  const approved = queue.approve(pending!.executionId, { by: ann, args, always: { constraints } });
  // While the edit is checked, and once it was.
  args.amount = 900;
  constraints.properties.amount.maximum = 1_000;
  await approved;
  args.amount = 901;
  expect((await call).value).toBe("paid 7");
  expect(ran).toEqual([7]);
  expect(await queue.store.grants()).toMatchObject([
    { constraints: { properties: { amount: { maximum: 10 } } } },
  ]);
});

test.each([
  ["another description", { description: "Empty the whole account" }],
  ["a wider schema", { input: { type: "object" } as const }],
])("an approval does not count for a tool with %s", async (_what, changed) => {
  const store = new MemoryApprovalStore();
  const ran: string[] = [];
  const callIn = (more: object) => {
    const queue = new ApprovalQueue({ store, pollEvery: "5ms" });
    const pay = tool({
      name: "pay",
      description: "Pay a bill",
      input: { type: "object", properties: { amount: { type: "number", maximum: 10 } } },
      safety: { sideEffects: "external" },
      approval: true,
      ...more,
      execute: () => {
        ran.push("paid");
        return "paid";
      },
    });
    const executor = new Executor({ tools: [pay], approve: queue.approver });
    const call = { id: "c", name: "pay", arguments: { amount: 5 } };
    return { queue, result: executor.call(call, { executionId: "exec_pay", onWaiting: "return" }) };
  };
  const asked = callIn({});
  expect((await asked.result).waiting?.kind).toBe("approval");
  await asked.queue.approve("exec_pay", { by: ann });
  const { failure } = await callIn(changed).result;
  expect(failure?.code).toBe("TOOL_APPROVAL_REJECTED");
  expect(failure?.message).toContain("another definition");
  expect(ran).toEqual([]);
});
