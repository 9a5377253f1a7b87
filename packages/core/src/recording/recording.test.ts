import { describe, expect, test } from "vitest";
import { Redactor } from "../call/redact.ts";
import { canonicalJson } from "../canonical.ts";
import { transient } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import { sha256 } from "../sha256.ts";
import { type CallRecord, type CallStore, MemoryCallStore } from "../stores/records.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { tool } from "../tool/define-tool.ts";
import { type RecordingOptions, recording } from "./recording.ts";
import { replaying } from "./replaying.ts";

const safety = { sideEffects: "read", idempotent: true } as const;
const login = tool({
  name: "login",
  version: "1.2.0",
  description: "Logs in",
  input: { type: "object", properties: { user: { type: "string" }, password: { type: "string" } } },
  safety,
  execute: ({ user }) => ({ user, access_token: "abc-def-ghi" }),
});
const hang = tool({
  name: "hang",
  description: "Hangs",
  input: { type: "object" },
  safety,
  execute: () => new Promise(() => {}),
});
const flaky = tool({
  name: "flaky",
  description: "Fails first",
  input: { type: "object" },
  safety,
  retry: { backoff: 0 },
  execute: (_args, { attempt }) => (attempt === 1 ? transient("not yet") : "there"),
});

function setUp(store: CallStore, options: RecordingOptions = {}) {
  const executor = new Executor({
    tools: [login, hang, flaky],
    hooks: { beforeCall: () => ({ verdict: "allow", reason: "fine" }) },
  });
  return recording(executor, store, options);
}

const call = (name = "login", args: unknown = {}) => ({ id: "c1", name, arguments: args });

test("a call is recorded with what went in, what came out and who decided", async () => {
  const store = new MemoryCallStore();
  const recorder = setUp(store);
  const ids = { runId: "r", requestId: "q", stepName: "s", principal: { id: "ada" } };
  const result = await recorder.call(call("login", '{"user":"ada",}'), ids);
  await recorder.flush();
  expect(store.records()).toHaveLength(1);
  expect(store.records()[0]).toMatchObject({
    ...ids,
    executionId: result.executionId,
    callId: "c1",
    name: "login",
    version: "1.2.0",
    source: "model",
    rawArguments: '{"user":"ada",}',
    args: { user: "ada" },
    verdicts: [{ guard: "hooks", verdict: "allow", reason: "fine" }],
    result: { isError: false, decoded: { mode: "repaired" } },
  });
});

test("retries are part of the record, and so is a call that never ran", async () => {
  const store = new MemoryCallStore();
  const recorder = setUp(store);
  await recorder.batch([call("flaky"), call("nobody")]);
  await recorder.flush();
  const [never, flaky] = store.records();
  expect(flaky?.retries).toMatchObject([{ attempt: 1, failure: { kind: "transient" } }]);
  expect(never?.result.failure?.code).toBe("TOOL_NOT_FOUND");
});

test("a call that never ran took its own time, not that of its batch", async () => {
  const store = new MemoryCallStore();
  const clock = new FakeClock();
  const execute = () => new Promise((resolve) => clock.set(() => resolve("done"), 60_000));
  const wait = tool({
    name: "wait",
    description: "Waits",
    input: { type: "object" },
    safety,
    timeout: "5m",
    execute,
  });
  const recorder = recording(new Executor({ tools: [wait], clock }), store);
  const results = recorder.batch([call("wait"), call("nobody")]);
  await clock.advance(60_000);
  expect((await results).map(({ durationMs }) => durationMs)).toEqual([60_000, 0]);
  await recorder.flush();
  const timing = { prepareMs: 0, waitMs: 0, runMs: 0, settleMs: 0 };
  expect(store.records()[0]).toMatchObject({ name: "nobody", durationMs: 0, timing });
});

test("what a tool gives after its deadline is recorded as late, beside the record of the call", async () => {
  const store = new MemoryCallStore();
  const answer = Promise.withResolvers<unknown>();
  const slow = tool({
    name: "slow",
    description: "Takes its time",
    input: { type: "object" },
    safety,
    timeout: 5,
    execute: () => answer.promise,
  });
  const executor = new Executor({ tools: [slow] });
  const recorder = recording(executor, store);
  const late = new Promise((resolve) => executor.events.on("call.late", resolve));
  const { executionId } = await recorder.call(call("slow"));
  answer.resolve({ password: "hunter2" });
  await late;
  await recorder.flush();
  expect(store.records()).toMatchObject([{ executionId, result: { failure: { code: "TOOL_TIMEOUT" } } }]);
  expect(store.late()).toMatchObject([{ executionId, isError: false, value: { password: "[redacted]" } }]);
});

test("a call of a batch is recorded when it is over, not when its slowest sibling is", async () => {
  const store = new MemoryCallStore();
  let finish = () => {};
  const slow = tool({
    name: "slow",
    description: "Waits",
    input: { type: "object" },
    safety,
    execute: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  const events: string[] = [];
  const executor = new Executor({
    tools: [login, slow],
    hooks: { afterCall: ({ call }) => (call.name === "login" ? { content: "hidden" } : undefined) },
    events: (event) => void events.push(`${event.type} ${event.name}`),
  });
  const recorder = recording(executor, store, { lingerMs: 0 });
  const pending = recorder.batch([call("slow"), call("login", { user: "ada" })]);
  while (store.records().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(store.records()).toMatchObject([{ name: "login", args: { user: "ada" }, result: { attempts: 1 } }]);
  expect(events).toContain("call.settled login");
  expect(events).not.toContain("call.end login");
  finish();
  const results = await pending;
  await recorder.flush();
  expect(results.map(({ name }) => name)).toEqual(["slow", "login"]);
  expect(events.filter((each) => each.startsWith("call.end"))).toEqual(["call.end slow", "call.end login"]);
  expect(store.records().map(({ name }) => name)).toEqual(["login", "slow"]);
  expect(recorder.dropped).toBe(0);
  // What the hook made of it came later, and stands beside the record.
  expect(store.late()).toMatchObject([{ name: "login", value: [{ type: "text", text: "hidden" }] }]);
});

test("what a guard says of a call whose sibling is slower is on record, also where it changes nothing", async () => {
  const store = new MemoryCallStore();
  let finish = () => {};
  const slow = tool({
    name: "slow",
    description: "Waits",
    input: { type: "object" },
    safety,
    execute: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  const guard = {
    name: "auditor",
    after: ({ call }: { call: { name: string } }) =>
      call.name === "login" ? { verdict: "allow" as const, reason: "looked at" } : undefined,
  };
  const recorder = recording(new Executor({ tools: [login, slow], guards: [guard] }), store, { lingerMs: 0 });
  const pending = recorder.batch([call("slow"), call("login", { user: "ada" })]);
  while (store.records().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  finish();
  await pending;
  await recorder.flush();
  expect(store.records()[0]).toMatchObject({ name: "login", verdicts: [] });
  expect(store.late()).toMatchObject([
    { name: "login", verdicts: [{ guard: "auditor", verdict: "allow", reason: "looked at" }] },
  ]);
});

class CountingRedactor extends Redactor {
  cleaned = 0;

  override value(value: unknown): unknown {
    this.cleaned += 1;
    return super.value(value);
  }
}

test("secrets are removed when a call is answered, once, and not from what guards may still change", async () => {
  let finish = () => {};
  const slow = tool({
    name: "slow",
    description: "Waits",
    input: { type: "object" },
    safety,
    execute: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  const executor = new Executor({
    tools: [login, flaky, slow],
    hooks: { afterCall: ({ call }) => (call.name === "login" ? { content: "hidden" } : undefined) },
  });
  const redactor = new CountingRedactor();
  let busy = false;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const stored: CallRecord[] = [];
  const late: unknown[] = [];
  const store: CallStore = {
    async store(records) {
      busy = true;
      await opened;
      stored.push(...records);
    },
    storeLate: (records) => void late.push(...records),
  };
  const recorder = recording(executor, store, { redactor, lingerMs: 0 });
  await recorder.call(call("flaky"));
  // From here on the store is busy, and what comes waits for it.
  while (!busy) await new Promise((resolve) => setImmediate(resolve));
  await recorder.call(call("flaky"));
  while (redactor.cleaned < 2) await new Promise((resolve) => setImmediate(resolve));
  const pending = recorder.batch([call("slow"), call("login", { password: "hunter2" })]);
  while (recorder.pending < 3) await new Promise((resolve) => setImmediate(resolve));
  await recorder.call(call("flaky"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(redactor.cleaned).toBe(2);
  finish();
  await pending;
  open();
  await recorder.flush();
  expect(stored.map(({ name }) => name)).toEqual(["flaky", "flaky", "login", "flaky", "slow"]);
  expect(stored[2]).toMatchObject({
    rawArguments: { password: "[redacted]" },
    result: { content: [{ type: "text", text: "hidden" }] },
  });
  expect([late, redactor.cleaned]).toEqual([[], 5]);
});

test("a redactor that throws costs the records, which are counted, and nothing else", async () => {
  const redactor = new Redactor();
  redactor.value = () => {
    throw new Error("no rule for this");
  };
  const store = new MemoryCallStore();
  const losses: string[] = [];
  const recorder = setUp(store, { redactor, onLoss: ({ reason }) => losses.push(reason) });
  expect(await recorder.call(call())).toMatchObject({ isError: false });
  await recorder.flush();
  expect([store.records(), losses]).toEqual([[], ["secrets could not be removed: no rule for this"]]);
});

test("a record says where the time went and which definition the tool had", async () => {
  const store = new MemoryCallStore();
  const recorder = setUp(store);
  await recorder.call(call());
  await recorder.flush();
  const [record] = store.records();
  const { prepareMs, waitMs, runMs, settleMs } = record!.timing;
  for (const part of [prepareMs, waitMs, runMs, settleMs]) expect(part).toBeGreaterThanOrEqual(0);
  expect(prepareMs + waitMs + runMs + settleMs).toBeCloseTo(record!.durationMs, 3);
  expect(record!.definitionHash).toBe(sha256(canonicalJson(login.definition)));
});

test("no secret reaches the store, by key, in text or in the output", async () => {
  const stored: string[] = [];
  const recorder = setUp({ store: (records) => void stored.push(JSON.stringify(records)) });
  await recorder.call(call("login", '{"user":"ada","password":"hunter2"}'));
  await recorder.call(call("login", { user: "ada", password: "hunter2" }));
  await recorder.flush();
  expect(stored.join()).not.toMatch(/hunter2|abc-def-ghi/);
  expect(stored.join()).toContain("[redacted]");
});

describe("a store", () => {
  test("that is slow never delays a call, and gets everything", async () => {
    const stored: CallRecord[] = [];
    let release = () => {};
    const slow: CallStore = {
      async store(records) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        stored.push(...records);
      },
    };
    const recorder = setUp(slow, { batchSize: 2, lingerMs: 0 });
    for (let index = 0; index < 5; index++) await recorder.call(call());
    expect(stored).toEqual([]);
    expect(recorder.pending).toBe(5);
    const flushed = recorder.flush();
    const releasing = setInterval(() => release(), 1);
    await flushed;
    clearInterval(releasing);
    expect(stored).toHaveLength(5);
    expect([recorder.pending, recorder.dropped]).toEqual([0, 0]);
  });

  test("that fails for a while gets everything in the end, in order", async () => {
    const stored: string[] = [];
    let failures = 5;
    const failing: CallStore = {
      store(records) {
        if (failures-- > 0) throw new Error("database is locked");
        stored.push(...records.map(({ callId }) => callId));
      },
    };
    const recorder = setUp(failing, { lingerMs: 0 });
    await recorder.call({ ...call(), id: "first" });
    await recorder.flush();
    expect([recorder.pending, recorder.dropped]).toEqual([1, 0]);
    expect(recorder.problem).toBe("1 records wait for the store: database is locked");
    await recorder.call({ ...call(), id: "second" });
    while (recorder.pending > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(new Set(stored)).toEqual(new Set(["first", "second"]));
    expect([recorder.problem, recorder.dropped, stored.length]).toEqual([undefined, 0, 2]);
  });

  test("that fails until the end loses what waits, which is counted and told", async () => {
    const losses: unknown[] = [];
    const failing: CallStore = { store: () => Promise.reject(new Error("disk full")) };
    const recorder = setUp(failing, { onLoss: (loss) => losses.push(loss) });
    await recorder.batch([call(), call()]);
    await recorder.close();
    expect([recorder.dropped, recorder.pending]).toEqual([2, 0]);
    expect(losses).toEqual([{ dropped: 2, reason: "the store failed: disk full" }]);
  });

  test("that never takes one record takes the others, and the one is counted", async () => {
    const stored: string[] = [];
    const picky: CallStore = {
      store(records) {
        if (records.some(({ callId }) => callId === "3")) throw new Error("string too long");
        stored.push(...records.map(({ callId }) => callId));
      },
    };
    const losses: string[] = [];
    const recorder = setUp(picky, { lingerMs: 0, onLoss: ({ reason }) => losses.push(reason) });
    const ids = ["1", "2", "3", "4", "5", "6", "7"];
    await recorder.batch(ids.map((id) => ({ ...call(), id })));
    for (let id = 8; recorder.dropped === 0; id++) {
      await recorder.call({ ...call(), id: String(id) });
      await recorder.flush();
    }
    await recorder.flush();
    expect(stored).toEqual(expect.arrayContaining(["1", "2", "4", "5", "6", "7", "8"]));
    expect([losses, recorder.pending]).toEqual([["the store failed: string too long"], 0]);
  });

  test("that cannot keep up makes the buffer overflow: what is dropped is counted", async () => {
    const store = new MemoryCallStore();
    const recorder = setUp(store, {
      capacity: 3,
      onLoss: () => {
        throw new Error("must not matter");
      },
    });
    await recorder.batch(Array.from({ length: 10 }, () => call()));
    await recorder.flush();
    expect(store.records()).toHaveLength(3);
    expect(recorder.dropped).toBe(7);
  });
});

describe("closing", () => {
  test("stores what is waiting, closes the store and stops listening", async () => {
    const steps: string[] = [];
    const recorder = setUp({
      store: (records) => void steps.push(`${records.length} stored`),
      close: () => void steps.push("closed"),
    });
    await recorder.call(call());
    await recorder.close();
    expect(steps).toEqual(["1 stored", "closed"]);
    await recorder.call(call());
    await recorder.flush();
    expect(steps).toHaveLength(2);
    expect(recorder.events.active).toBe(false);
  });

  test("counts the calls that are still under way as lost", async () => {
    const recorder = setUp(new MemoryCallStore());
    void recorder.call(call("hang"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    await recorder.close();
    expect(recorder.dropped).toBe(1);
  });
});

test.each([{ capacity: 0 }, { batchSize: 0 }, { batchSize: 1.5 }])(
  "an option that could not work is refused: %o",
  (options) => {
    expect(() => setUp(new MemoryCallStore(), options)).toThrow(/must be a whole number of at least 1/);
  },
);

test("an executor with a store records by itself, redacts as it was told, and flushes when it drains", async () => {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [login], store, redact: { keys: ["user"] } });
  await executor.call(call("login", { user: "ada" }));
  await executor.drain();
  expect(store.records()[0]?.args).toEqual({ user: "[redacted]" });
  expect(executor.health().recordsDropped).toBe(0);
});

test("who wraps an executor passes on that a run is over", async () => {
  let reads = 0;
  const read = tool({
    name: "read",
    description: "Reads",
    input: { type: "object" },
    safety,
    pure: true,
    execute: () => ++reads,
  });
  const executor = new Executor({ tools: [read] });
  const wrapped = replaying(recording(executor, new MemoryCallStore()), [], { mode: "lenient" });
  const call = () => wrapped.call({ id: "c", name: "read" }, { runId: "run_1" });
  await call();
  await call();
  expect(reads).toBe(1);
  wrapped.forget?.("run_1");
  await call();
  expect(reads).toBe(2);
});
