import { describe, expect, test } from "vitest";
import {
  ApprovalQueue,
  type CallEvent,
  deferred,
  Executor,
  type ExecutorOptions,
  failure,
  type JsonSchema,
  MemoryCallStore,
  MemoryLedger,
  result,
  type ToolSpec,
  tool,
} from "../../index.ts";
import { MemoryWaitStore } from "../../kit.ts";
import { FakeClock } from "../../testing/fake-clock.ts";

type Spec = Partial<ToolSpec<JsonSchema, unknown>>;
const handed = new Map<string, string>();

function made(more: Spec = {}) {
  return tool({
    name: "deploy",
    description: "Deploy",
    input: { type: "object", properties: { site: { type: "string" } } },
    execute(_, { executionId, token }) {
      handed.set(executionId, token);
      return deferred({ ref: { job: 7 }, note: "job 7" });
    },
    ...more,
  });
}

function rig(more: Spec = {}, options: ExecutorOptions = {}) {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [made(more)], store, ...options });
  const events: CallEvent[] = [];
  executor.events.on((event) => events.push(event));
  let ids = 0;
  const start = (given: object = {}) => {
    const executionId = `exec_${++ids}`;
    return executor.call(
      { id: `call_${ids}`, name: "deploy", arguments: { site: "a" } },
      { executionId, ...given },
    );
  };
  const park = (given: object = {}) => start({ onWaiting: "return", ...given });
  const types = () => events.map(({ type }) => type.slice(5));
  return { executor, store, start, park, events, types };
}

const tokenOf = (executionId: string) => handed.get(executionId) ?? "";

describe("a call whose result comes later", () => {
  test("is answered with what it waits for, and has its result when somebody completes it", async () => {
    const { executor, store, park, types } = rig();
    const answer = await park({ runId: "r1", principal: { id: "ada" } });
    expect(answer).toMatchObject({
      isError: false,
      attempts: 1,
      waiting: { kind: "deferred", note: "job 7" },
    });
    expect(executor.health().inFlight).toBe(0);
    expect(await executor.waits.counts()).toMatchObject([{ kind: "deferred", count: 1 }]);
    const done = await executor.waits.complete("exec_1", tokenOf("exec_1"), { url: "x" });
    expect(done).toMatchObject({ value: { url: "x" }, isError: false, attempts: 1, callId: "call_1" });
    expect(types()).toEqual(["start", "attempt", "waiting", "resumed", "end"]);
    await executor.drain();
    expect(store.records()).toMatchObject([
      {
        executionId: "exec_1",
        runId: "r1",
        principal: { id: "ada" },
        rawArguments: { site: "a" },
        args: { site: "a" },
        result: { value: { url: "x" } },
      },
    ]);
    expect(await executor.waits.counts()).toEqual([]);
  });

  test("is held by who holds it, and then has one record", async () => {
    const { executor, store, start } = rig();
    const call = start();
    await expect.poll(() => executor.waits.counts()).toHaveLength(1);
    await executor.waits.complete("exec_1", tokenOf("exec_1"), "live");
    expect((await call).value).toBe("live");
    await executor.drain();
    expect(store.records().map((record) => record.result.value)).toEqual(["live"]);
  });

  test("is answered with its result when it is asked for again, and runs nothing", async () => {
    let ran = 0;
    const { executor, park } = rig({
      execute: (_, { executionId, token }) => {
        ran += 1;
        handed.set(executionId, token);
        return deferred();
      },
    });
    await park({ executionId: "e" });
    expect((await park({ executionId: "e" })).waiting?.kind).toBe("deferred");
    const held = executor.call({ id: "c", name: "deploy", arguments: { site: "a" } }, { executionId: "e" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await executor.waits.complete("e", tokenOf("e"), 1);
    expect((await held).value).toBe(1);
    expect(await park({ executionId: "e" })).toMatchObject({ value: 1, replayed: true });
    expect(ran).toBe(1);
  });

  test("gives back its slot and its locks", async () => {
    const { executor, park } = rig({ concurrency: 1, locks: () => ["site"] });
    await Promise.all([park(), park(), park()]);
    expect(await executor.waits.counts()).toMatchObject([{ count: 3 }]);
  });

  test.each([
    ["a value", 1, { isError: false, value: 1 }],
    [
      "a result with content",
      result({ content: "text", details: 1 }),
      { content: [{ type: "text", text: "text" }], details: 1 },
    ],
    [
      "a failure",
      failure({ code: "TOOL_TRANSIENT", message: "busy" }),
      { failure: { code: "TOOL_TRANSIENT", message: "busy" } },
    ],
    ["nothing", undefined, { isError: false }],
  ])("takes %s", async (_, given, expected) => {
    const { executor, park } = rig();
    await park();
    expect(await executor.waits.complete("exec_1", tokenOf("exec_1"), given)).toMatchObject(expected);
  });

  test("times out when nothing comes, and may have happened", async () => {
    const clock = new FakeClock();
    const cancelled: unknown[] = [];
    const { executor, store, park } = rig(
      { wait: { expires: "1m" }, cancel: (ref) => cancelled.push(ref) },
      { clock },
    );
    await park();
    await clock.advance(59_000);
    expect(await executor.waits.counts()).toHaveLength(1);
    await clock.advance(2_000);
    await expect.poll(() => store.records().length).toBe(1);
    expect(store.records()[0]?.result.failure).toMatchObject({
      code: "TOOL_TIMEOUT",
      message: /may have happened/,
    });
    expect(cancelled).toEqual([{ job: 7 }]);
    await expect(executor.waits.complete("exec_1", tokenOf("exec_1"), 1)).rejects.toThrow(/expired already/);
  });

  test("is cancelled by anybody who may, and its tool is told", async () => {
    const cancelled: unknown[] = [];
    const { executor, park, start } = rig({
      cancel: (ref, { executionId }) => cancelled.push([ref, executionId]),
    });
    await park();
    expect(await executor.waits.cancel("exec_1", { reason: "changed my mind" })).toBe(true);
    expect(await park({ executionId: "exec_1" })).toMatchObject({
      failure: { code: "TOOL_CANCELLED", message: /changed my mind/ },
    });
    const controller = new AbortController();
    const held = start({ executionId: "h", signal: controller.signal });
    await expect.poll(() => executor.waits.counts()).toHaveLength(1);
    controller.abort();
    expect((await held).failure?.code).toBe("TOOL_CANCELLED");
    expect(cancelled).toEqual([
      [{ job: 7 }, "exec_1"],
      [{ job: 7 }, "h"],
    ]);
    expect(await executor.waits.cancel("h")).toBe(false);
  });

  test("is not called cancelled when its completion came between a cancel's look and its end", async () => {
    const { executor, park } = rig();
    await park();
    const { store } = executor.waits;
    const list = store.list.bind(store);
    store.list = async (query) => {
      store.list = list;
      const open = await list(query);
      await executor.waits.complete("exec_1", tokenOf("exec_1"), "done");
      return open;
    };
    expect(await executor.waits.cancel("exec_1")).toBe(false);
    expect(await park({ executionId: "exec_1" })).toMatchObject({ value: "done" });
  });

  test("is checked by its tool until there is a result", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const { store, park } = rig(
      {
        wait: { every: "10s", maxEvery: "20s" },
        check(ref, { checks }) {
          seen.push(checks);
          if (checks === 1) throw new Error("away");
          return checks < 3 ? undefined : { ref };
        },
      },
      { clock },
    );
    await park();
    for (let second = 0; second < 120; second++) await clock.advance(1_000);
    await expect.poll(() => store.records().length).toBe(1);
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(store.records()[0]?.result.value).toEqual({ ref: { job: 7 } });
  });

  test("tells its progress", async () => {
    const { executor, park, events } = rig();
    await park();
    await executor.waits.progress("exec_1", tokenOf("exec_1"), { progress: 0.5 });
    expect(events.at(-1)).toMatchObject({
      type: "call.update",
      executionId: "exec_1",
      update: { progress: 0.5 },
    });
  });

  test("goes through guards, output schema, cap and labels like any other", async () => {
    const { executor, park } = rig(
      { output: { type: "string" }, labels: { integrity: "untrusted" } },
      {
        maxContent: 100,
        guards: [
          {
            name: "stamp",
            after: ({ result: { value } }) => ({
              verdict: "rewrite",
              result: { value: `${value}!`, content: "x".repeat(200) },
            }),
          },
        ],
      },
    );
    await park();
    const done = await executor.waits.complete("exec_1", tokenOf("exec_1"), "live");
    expect(done?.artifact).toBeDefined();
    expect(done?.value).toBe("live!");
  });

  test("keeps what its tool reported", async () => {
    const { executor, park } = rig({
      execute(_, { executionId, token, effect }) {
        handed.set(executionId, token);
        effect({ type: "custom", name: "begun", data: 1 });
        return deferred({
          effects: [{ type: "custom", name: "sent", data: 2 }],
          labels: { confidentiality: "private" },
        });
      },
    });
    await park();
    const done = await executor.waits.complete("exec_1", tokenOf("exec_1"), "live");
    expect(done?.effects).toHaveLength(2);
    expect(done?.labels).toMatchObject({ confidentiality: "private" });
  });
});

describe("a completion is refused, recorded, and changes nothing", () => {
  test.each([
    ["with a forged token", () => "0".repeat(48), "live", /token is not one of its own/],
    ["with the token of another execution", () => tokenOf("other"), "live", /token is not one of its own/],
    ["with no token", () => "", "live", /token/],
    ["of the wrong shape", () => tokenOf("exec_1"), 42, /does not match the tool's output schema: .*[^.]\.$/],
    ["that is a deferral", () => tokenOf("exec_1"), deferred(), /no result/],
  ])("%s", async (_, token, given, message) => {
    const { executor, store, park } = rig({ output: { type: "string" } });
    await park({ executionId: "other" });
    await park({ executionId: "exec_1" });
    const refusal = executor.waits.complete("exec_1", token(), given);
    await expect(refusal).rejects.toMatchObject({ code: "COMPLETION_REFUSED", message });
    await executor.drain();
    executor.start();
    expect(store.late()).toMatchObject([{ executionId: "exec_1", isError: true, message }]);
    await executor.waits.complete("exec_1", tokenOf("exec_1"), "live");
    expect((await park({ executionId: "exec_1" })).value).toBe("live");
  });

  test("a second time", async () => {
    const { executor, park } = rig();
    await park();
    const complete = (value: unknown) => executor.waits.complete("exec_1", tokenOf("exec_1"), value);
    const all = await Promise.allSettled(["a", "a", "b", "c"].map(complete));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(complete("d")).rejects.toThrow(/completed already/);
    await expect(executor.waits.complete("none", "t", 1)).rejects.toThrow(/Nothing waits/);
  });

  test("none that is faster than the tool: it waits until the call is parked", async () => {
    const early: Promise<unknown>[] = [];
    const { executor, park } = rig({
      async execute(_, { executionId, token }) {
        early.push(executor.waits.complete(executionId, token, "fast"));
        await new Promise((resolve) => setTimeout(resolve, 5));
        return deferred();
      },
    });
    expect((await park()).waiting).toBeDefined();
    expect(await early[0]).toMatchObject({ value: "fast" });
  });
});

test("a tool whose code is elsewhere is handed out with a token, and completed with it", async () => {
  const pick = tool({ name: "pick", description: "Pick", input: { type: "object" }, execute: "external" });
  const executor = new Executor({ tools: [pick] });
  const { waiting } = await executor.call(
    { id: "c", name: "pick" },
    { executionId: "e", onWaiting: "return" },
  );
  expect(waiting).toMatchObject({ kind: "external" });
  const token = await executor.waits.token("e");
  expect(await executor.waits.complete("e", token, "red")).toMatchObject({ value: "red" });
  await expect(executor.waits.token("e")).rejects.toThrow(/Nothing waits/);
});

test("a call that takes longer than its tool's background goes on, for callers who do not hold it", async () => {
  const clock = new FakeClock();
  let finish: (value: string) => void = () => {};
  const slow = tool({
    name: "slow",
    description: "Slow",
    input: { type: "object" },
    background: "10s",
    execute: () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  });
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [slow], clock, store });
  const call = executor.call({ id: "c", name: "slow" }, { executionId: "e", onWaiting: "return" });
  await clock.advance(10_000);
  expect(await call).toMatchObject({ waiting: { kind: "background" } });
  expect(executor.health().inFlight).toBe(1);
  finish("done");
  await expect.poll(() => store.records().length).toBe(1);
  expect(store.records()[0]?.result.value).toBe("done");
  expect(await executor.waits.list({ open: true })).toEqual([]);
  expect(executor.health().inFlight).toBe(0);
});

test("a call in the background is joined by who comes for it, here and elsewhere, and no guard is asked again", async () => {
  let finish: (value: string) => void = () => {};
  const asked: string[] = [];
  const slow = tool({
    name: "slow",
    description: "Slow",
    input: { type: "object" },
    safety: { sideEffects: "read", idempotent: true },
    background: "5ms",
    execute: () =>
      new Promise<string>((resolve) => {
        asked.push("ran");
        finish = resolve;
      }),
  });
  const shared = { waits: new MemoryWaitStore(), ledger: new MemoryLedger() };
  const start = () =>
    new Executor({ tools: [slow], ...shared, hooks: { beforeCall: () => void asked.push("asked") } });
  const [here, there] = [start(), start()];
  const come = (executor: Executor, more: object = {}) =>
    executor.call({ id: "c", name: "slow" }, { executionId: "e", ...more });
  expect((await come(here, { onWaiting: "return" })).waiting?.kind).toBe("background");
  for (const executor of [here, there]) {
    expect((await come(executor, { onWaiting: "return" })).waiting?.kind).toBe("background");
  }
  expect([here.health().inFlight, there.health().inFlight]).toEqual([1, 0]);
  const held = [come(here), come(there)];
  finish("done");
  for (const result of await Promise.all(held))
    expect(result).toMatchObject({ replayed: true, value: "done" });
  expect(asked).toEqual(["asked", "ran"]);
  await expect.poll(() => here.health().inFlight).toBe(0);
});

test("an approval that nobody gave in time is denied when a call that is not held comes for it", async () => {
  const clock = new FakeClock();
  const queue = new ApprovalQueue({ expireAfter: "1h", clock });
  const { park } = rig({ approval: true }, { approve: queue.approver, clock });
  expect((await park({ executionId: "e" })).waiting?.kind).toBe("approval");
  await clock.advance(3_600_000);
  expect((await park({ executionId: "e" })).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
});

test("each of several calls expires in its time, in an executor that looks only after its own", async () => {
  const clock = new FakeClock();
  let times = 0;
  const { executor, park } = rig({ execute: () => deferred({ expires: `${++times}h` }) }, { clock });
  for (let index = 0; index < 3; index++) await park();
  for (let hour = 1; hour <= 3; hour++) {
    for (let minute = 0; minute < 61; minute++) await clock.advance(60_000);
    await expect.poll(() => executor.waits.list({ open: true })).toHaveLength(3 - hour);
  }
});

test("a promise given to complete a call, which settles after the call has expired, does not count", async () => {
  const clock = new FakeClock();
  const { executor, park, store } = rig({ wait: { expires: "1m" } }, { clock });
  await park();
  let settle = (_: unknown) => {};
  const given = new Promise((resolve) => (settle = resolve));
  const completed = executor.waits.complete("exec_1", tokenOf("exec_1"), given);
  const refused = expect(completed).rejects.toThrow(/was refused: it (has expired|was expired already)/);
  await clock.advance(61_000);
  settle("deployed");
  await refused;
  await executor.drain();
  expect(store.records()).toMatchObject([{ result: { failure: { code: "TOOL_TIMEOUT" } } }]);
  expect(store.late()).toMatchObject([{ executionId: "exec_1", isError: true }]);
});

test("a call expires by the clock of the machine", async () => {
  const { executor, park } = rig({ execute: () => deferred({ expires: "20ms" }) });
  for (let index = 0; index < 5; index++) await park();
  await expect.poll(() => executor.waits.list({ open: true })).toEqual([]);
});

test("a check may ask: the answer is there when it asks again, soon after it was given", async () => {
  const { executor, park } = rig({
    wait: { every: "10ms", maxEvery: "1h" },
    async check(_, { ask, checks }) {
      const answer = await ask({ message: "Which one?", schema: { type: "integer" } });
      return answer === undefined ? undefined : { answer, checks };
    },
  });
  const { executionId } = await park();
  const questions = () => executor.waits.list({ open: true, kind: "question" });
  await expect.poll(questions).toHaveLength(1);
  await expect(executor.waits.answer(executionId, { by: { id: "ada" }, value: "x" })).rejects.toThrow("fit");
  await executor.waits.answer(executionId, { by: { id: "ada" }, value: 7 });
  await expect
    .poll(async () => (await park({ executionId })).value)
    .toMatchObject({
      answer: { status: "answered", value: 7 },
    });
});

test("what a check asked is taken back when the call is over", async () => {
  const { executor, park } = rig({
    wait: { every: "10ms" },
    async check(_, { ask }) {
      await ask({ message: "Which one?" });
      return undefined;
    },
  });
  const { executionId } = await park();
  await expect.poll(() => executor.waits.list({ open: true, kind: "question" })).toHaveLength(1);
  await executor.waits.complete(executionId, tokenOf(executionId), "done");
  expect(await executor.waits.list({ open: true })).toEqual([]);
});
