/** What went wrong when the part was attacked. */
import { expect, test } from "vitest";
import {
  ApprovalQueue,
  deferred,
  Executor,
  type ExecutorOptions,
  InformationFlow,
  type JsonSchema,
  MemoryCallStore,
  MemoryLedger,
  type ToolSpec,
  tool,
} from "../../index.ts";
import { MemoryApprovalStore, MemoryWaitStore } from "../../kit.ts";
import { crashableLedger } from "../../testing/crash-points.ts";
import { FakeClock } from "../../testing/fake-clock.ts";

type Spec = Partial<ToolSpec<JsonSchema, unknown>>;
const ann = { id: "ann" };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function made(more: Spec = {}) {
  return tool({
    name: "job",
    description: "Job",
    input: { type: "object" },
    execute: () => deferred(),
    ...more,
  });
}

function rig(more: Spec = {}, options: ExecutorOptions = {}) {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [made(more)], store, ...options });
  const call = (given: object = {}) =>
    executor.call({ id: "c", name: "job" }, { executionId: "e", ...given });
  return { executor, store, call, park: (given: object = {}) => call({ onWaiting: "return", ...given }) };
}

test("a call that ends before its tool's background is answered with its result", async () => {
  for (const execute of [() => "at once", async () => "at once", () => pause(5).then(() => "at once")])
    expect((await rig({ background: "10s", execute }).park()).value).toBe("at once");
});

test("a call in the background that defers is parked, and can be completed", async () => {
  const { executor, park, store } = rig({
    background: "5ms",
    execute: () => pause(30).then(() => deferred()),
  });
  expect((await park()).waiting?.kind).toBe("background");
  await expect.poll(() => executor.waits.list({ open: true })).toMatchObject([{ kind: "deferred" }]);
  expect((await executor.waits.complete("e", { by: ann }, "v"))?.value).toBe("v");
  expect((await park()).value).toBe("v");
  await executor.drain();
  expect(store.records()).toHaveLength(1);
});

test("a call in the background that asks goes on with the answer", async () => {
  const { executor, park } = rig({
    background: "5ms",
    async execute(_, { ask }) {
      await pause(20);
      const answer = await ask({ message: "Shall I?" });
      await pause(20);
      return answer.status;
    },
  });
  await park();
  await expect.poll(() => executor.waits.list({ open: true, kind: "question" })).toHaveLength(1);
  await executor.waits.answer("e", { by: ann, value: "yes" });
  await expect.poll(async () => (await park()).value).toBe("answered");
});

test.each(["check", "cancel"] as const)("a %s that throws at once ends nothing but itself", async (what) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const { executor, park } = rig({
    wait: { every: "5ms" },
    [what]: () => {
      throw new Error("no");
    },
  });
  await park();
  await pause(30);
  await executor.waits.cancel("e");
  await executor.stop();
  await pause(20);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("checks of one tool that hang keep no other call from expiring", async () => {
  const hang = made({ name: "hang", wait: { every: "1ms" }, check: () => new Promise(() => {}) });
  const executor = new Executor({ tools: [hang, made({ wait: { expires: "50ms" } })] });
  for (let index = 0; index < 40; index++)
    await executor.call({ id: "c", name: "hang" }, { onWaiting: "return" });
  await pause(50);
  await executor.call({ id: "c", name: "job" }, { onWaiting: "return" });
  await expect.poll(() => executor.waits.list({ open: true, name: "job" })).toEqual([]);
  await executor.stop();
});

test("two questions at once, of a call that is not held: each is asked, and the tool acts once", async () => {
  const did: string[] = [];
  const { executor, park } = rig({
    async execute(_, { ask }) {
      const both = await Promise.all([ask({ message: "A?" }), ask({ message: "B?" })]);
      did.push("acted");
      return both.map(({ status }) => status);
    },
  });
  await park();
  for (const wait of await executor.waits.list({ open: true, kind: "question" }))
    await executor.waits.answer(wait.id, { by: ann, value: "yes" });
  expect((await park()).value).toEqual(["answered", "answered"]);
  await pause(10);
  expect(did).toEqual(["acted"]);
});

test("while a tool acts on the first of two answers its intent is open, and the other question is taken back", async () => {
  const ledger = new MemoryLedger();
  let open = 0;
  const { executor, call } = rig(
    {
      async execute(_, { ask }) {
        const first = await Promise.race([ask({ message: "A?" }), ask({ message: "B?" })]);
        open = ledger.open().length;
        return first.status;
      },
    },
    { ledger },
  );
  const pending = call();
  await expect.poll(() => executor.waits.list({ open: true })).toHaveLength(2);
  const [, second] = await executor.waits.list({ open: true });
  await executor.waits.answer(second?.id ?? "", { by: ann, value: "yes" });
  expect((await pending).value).toBe("answered");
  expect([open, await executor.waits.list({ open: true })]).toEqual([1, []]);
});

test("a question that two processes hold lets one of them act, and the other closes nothing", async () => {
  const shared = { ledger: new MemoryLedger(), waits: new MemoryWaitStore() };
  const did: string[] = [];
  const spec: Spec = {
    async execute(_, { ask }) {
      await ask({ message: "Shall I?" }).catch(() => {});
      did.push("acted");
      return "done";
    },
  };
  // Two books, as two processes have them: within one, the second waits for the first.
  const seen: string[] = [];
  const events = (event: { type: string }) => seen.push(event.type);
  const [here, there] = [rig(spec, shared), rig(spec, { ...shared, ledger: apart(shared.ledger), events })];
  const first = here.call();
  await expect.poll(() => here.executor.waits.list({ open: true })).toHaveLength(1);
  const both = [first, there.call()];
  await expect.poll(() => seen).toContain("call.waiting");
  await here.executor.waits.answer("e", { by: ann, value: "yes" });
  const values = (await Promise.all(both)).map(({ value, failure }) => value ?? failure?.code);
  expect(values.sort()).toEqual(["TOOL_UNAVAILABLE", "done"]);
  expect(did).toEqual(["acted"]);
  expect(shared.ledger.get("e")?.result?.value).toBe("done");
});

/** The same ledger, known as another book. */
function apart(ledger: MemoryLedger): MemoryLedger {
  return new Proxy(ledger, {
    get: (target, key) => {
      if (key === "book") return {};
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("who joins a parked call gets its effects and labels, and cancels nothing by giving up", async () => {
  const flow = new InformationFlow();
  const { executor, store, call, park } = rig(
    {
      labels: { integrity: "untrusted" },
      execute: (_, { effect }) => {
        effect({ type: "custom", name: "begun", data: 1 });
        return deferred({ labels: { confidentiality: "private" } });
      },
    },
    { guards: [flow.guard] },
  );
  await park({ principal: { id: "ann" } });
  const eve = new AbortController();
  const given = call({ signal: eve.signal, principal: { id: "eve" } });
  await pause(10);
  eve.abort();
  expect((await given).failure).toMatchObject({ code: "TOOL_CANCELLED", message: /goes on/ });
  const joined = call({ principal: { id: "ann" }, runId: "r" });
  await pause(10);
  await executor.waits.complete("e", { by: ann }, "v");
  expect(await joined).toMatchObject({
    value: "v",
    effects: [{ name: "begun" }],
    labels: { confidentiality: "private" },
  });
  await executor.drain();
  expect(store.records().filter(({ result }) => !result.isError)).toMatchObject([
    { principal: { id: "ann" } },
  ]);
});

test("a call that is left goes on by itself when its question or approval has an answer", async () => {
  const waits = new MemoryWaitStore();
  const queue = new ApprovalQueue({ store: new MemoryApprovalStore(waits) });
  const { executor, store, call } = rig(
    { approval: true, execute: async (_, { ask }) => (await ask({ message: "Shall I?" })).status },
    { waits, approve: queue.approver },
  );
  executor.waits.start();
  expect((await call({ onWaiting: "leave" })).waiting?.kind).toBe("approval");
  await queue.approve("e", { by: ann });
  await expect.poll(() => executor.waits.list({ open: true })).toMatchObject([{ kind: "question" }]);
  await executor.waits.answer("e", { by: ann, value: "yes" });
  await expect.poll(() => store.records().map(({ result }) => result.value)).toEqual(["answered"]);
  await executor.stop();
});

test("a tool without side effects that defers has to say that it may", async () => {
  const safety = { sideEffects: "read", idempotent: true } as const;
  expect((await rig({ safety }).park()).failure?.message).toMatch(/give it wait, check, cancel/);
  expect((await rig({ safety, wait: {} }).park()).waiting?.kind).toBe("deferred");
});

test("only a plain yes lets somebody complete, answer or cancel, and nobody answers what has expired", async () => {
  for (const mayAnswer of [
    async () => false,
    () => {
      throw new Error("?");
    },
  ]) {
    const { executor, park } = rig({}, { mayAnswer: mayAnswer as never });
    await park();
    await expect(executor.waits.complete("e", { by: ann }, 1)).rejects.toMatchObject({
      code: "COMPLETION_REFUSED",
    });
    await expect(executor.waits.cancel("e", { by: ann })).rejects.toMatchObject({
      code: "COMPLETION_REFUSED",
    });
  }
  const { executor, park } = rig({ execute: async (_, { ask }) => ask({ message: "?", expires: "20ms" }) });
  await park();
  await pause(40);
  await expect(executor.waits.answer("e", { by: ann, value: "late" })).rejects.toThrow(/expired|No question/);
});

test("an executor that stops while a tool asks leaves the call to go on elsewhere", async () => {
  const shared = { ledger: new MemoryLedger(), waits: new MemoryWaitStore() };
  const spec: Spec = { execute: async (_, { ask }) => (await ask({ message: "Shall I?" })).status };
  const here = rig(spec, shared);
  const held = here.call();
  await expect.poll(() => here.executor.waits.list({ open: true })).toHaveLength(1);
  await here.executor.stop();
  expect((await held).waiting?.kind).toBe("question");
  const there = rig(spec, shared);
  await there.executor.waits.answer("e", { by: ann, value: "yes" });
  expect((await there.call()).value).toBe("answered");
});

test("what is completed is what a store gives back", async () => {
  const { executor, park } = rig();
  await park();
  const given = {
    at: new Map([["a", 1]]),
    bad: {
      get x(): number {
        throw new Error("no");
      },
    },
  };
  const done = await executor.waits.complete("e", { by: ann }, given);
  expect(done?.isError).toBe(false);
  expect(JSON.stringify(done?.value)).toContain('"a"');
});

test("an executor that is started again looks after its waits again", async () => {
  const { executor, park } = rig({
    wait: { every: "5ms" },
    check: (_, { checks }) => (checks < 3 ? undefined : "v"),
  });
  executor.waits.start();
  await executor.drain();
  executor.start();
  await park();
  await expect.poll(async () => (await park()).value).toBe("v");
  await executor.stop();
});

test("a repeatable call that was lost in the background and started again has the outcome of that start", async () => {
  const [ledger, waits] = [new MemoryLedger(), new MemoryWaitStore()];
  const repeatable = { safety: { sideEffects: "write", idempotent: true }, background: "5ms" } as const;
  const lost = rig({ ...repeatable, execute: () => new Promise(() => {}) }, { ledger, waits });
  expect((await lost.park()).waiting?.kind).toBe("background");
  const clock = new FakeClock(Date.now() + 60_000);
  let end = (_: string) => {};
  const other = rig(
    { ...repeatable, execute: () => new Promise((resolve) => (end = resolve)) },
    { ledger: { ...crashableLedger(ledger, () => {}), book: {} }, waits, clock },
  );
  const again = other.call();
  await clock.advance(1);
  other.executor.waits.start();
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return (await waits.list({ kind: "background" })).map((wait) => wait.end?.how);
    })
    .toContain("lost");
  await clock.advance(5_000);
  end("done");
  expect((await again).value).toBe("done");
  expect(ledger.get("e")?.result?.value).toBe("done");
  await other.executor.waits.stop();
});

test("a completed call is not reported as cancelled by a read that does not know of its end yet", async () => {
  let lags = 0;
  class Replica extends MemoryWaitStore {
    override get(id: string) {
      const wait = super.get(id);
      if (wait?.end === undefined || lags-- <= 0) return wait;
      const { end: _, ...before } = wait;
      return before;
    }
  }
  const { executor, park } = rig({}, { waits: new Replica() });
  await park();
  lags = 1;
  expect(await executor.waits.complete("e", { by: ann }, "live")).toMatchObject({ value: "live" });
  expect((await park()).value).toBe("live");
});

test("a wait that ended in a way this version does not know leaves the outcome unknown", async () => {
  const waits = new MemoryWaitStore();
  const { call, park } = rig({}, { waits });
  await park();
  waits.revise("e:result", (wait) => ({ ...wait, end: { how: "retired", at: Date.now() - 60_000 } }));
  expect((await call()).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
});
