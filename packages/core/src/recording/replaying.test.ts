import { expect, test } from "vitest";
import type { CallEvent } from "../call/events.ts";
import { InformationFlow } from "../guards/flow/flow.ts";
import { Executor } from "../pipeline/executor.ts";
import { type CallRecord, MemoryCallStore } from "../stores/records.ts";
import { FakeClock, scriptedTool } from "../testing/index.ts";
import { tool } from "../tool/define-tool.ts";
import { ReplayCrash, replaying } from "./replaying.ts";

const CALLS = [
  { id: "a", name: "search", arguments: '{ "q": "one" }' },
  { id: "b", name: "search", arguments: { q: "two", password: "hunter22" } },
  { id: "c", name: "broken", arguments: {} },
];

/** A run of three calls, the last of which fails. */
async function recorded(): Promise<readonly CallRecord[]> {
  const store = new MemoryCallStore();
  const search = scriptedTool({ name: "search", script: [{ returns: "first" }, { returns: { hits: 2 } }] });
  const broken = scriptedTool({ name: "broken", script: [{ throws: new Error("no luck") }] });
  const executor = new Executor({ tools: [search, broken], store });
  for (const call of CALLS) await executor.call(call, { runId: "run_1" });
  await executor.drain();
  return store.records();
}

function live() {
  const search = scriptedTool({ name: "search", script: [{ returns: "live" }] });
  return { search, executor: new Executor({ tools: [search] }) };
}

test("a strict replay answers what was recorded and runs nothing", async () => {
  const { search, executor } = live();
  const replay = replaying(executor, await recorded());
  const results = [await replay.call(CALLS[0]!), ...(await replay.batch(CALLS.slice(1)))];
  expect(results.map(({ value, failure }) => value ?? failure?.message)).toEqual([
    "first",
    { hits: 2 },
    "no luck",
  ]);
  expect(results.map(({ callId }) => callId)).toEqual(["a", "b", "c"]);
  expect(search.calls).toEqual([]);
  expect(replay.remaining).toEqual([]);
});

test("arguments that mean the same are the same, however they are written", async () => {
  const replay = replaying(live().executor, await recorded());
  expect((await replay.call({ id: "x", name: "search", arguments: { q: "one" } })).value).toBe("first");
  const text = '{"password":"another secret","q":"two"}';
  expect((await replay.call({ id: "y", name: "search", arguments: text })).value).toEqual({ hits: 2 });
});

test("a strict replay says where a run leaves the recording", async () => {
  const replay = replaying(live().executor, await recorded());
  const wrong = await replay.call({ id: "x", name: "search", arguments: { q: "else" } });
  expect(wrong.failure).toMatchObject({
    kind: "fatal",
    message: "The recording goes on with search, but search was called with other arguments.",
    details: { expected: { arguments: { q: "one" } }, received: { arguments: { q: "else" } } },
  });
  const early = await replay.call(CALLS[2]!);
  expect(early.failure?.message).toBe("The recording goes on with search, but broken was called.");
  expect(replay.remaining.length).toBe(3);
  const over = await replaying(live().executor, []).call(CALLS[0]!);
  expect(over.failure?.message).toContain("The recording is over");
});

test("a lenient replay takes any order, uses each record once and runs the rest", async () => {
  const { search, executor } = live();
  const replay = replaying(executor, await recorded(), { mode: "lenient" });
  expect((await replay.call(CALLS[2]!)).failure?.message).toBe("no luck");
  expect((await replay.call(CALLS[0]!)).value).toBe("first");
  expect((await replay.call(CALLS[0]!)).value).toBe("live");
  expect(search.calls).toEqual([{ q: "one" }]);
});

test("errors, delays and crashes are injected where they were asked for", async () => {
  const clock = new FakeClock();
  const replay = replaying(live().executor, await recorded(), {
    clock,
    latency: "1s",
    inject: (_call, index) =>
      [
        { failure: { code: "TOOL_RATE_LIMITED" as const, message: "slow down" } },
        { delay: "5s" as const },
        { crash: true },
      ][index],
  });
  const order: string[] = [];
  const all = CALLS.map((call) =>
    replay.call(call).then(
      (result) => order.push(`${call.id}: ${result.failure?.code ?? "ok"}`),
      (error) => order.push(`${call.id}: ${error instanceof ReplayCrash}`),
    ),
  );
  await clock.advance(999);
  expect(order).toEqual([]);
  await clock.advance(1);
  expect(order).toEqual(["a: TOOL_RATE_LIMITED", "c: true"]);
  await clock.advance(5_000);
  await Promise.all(all);
  expect(order.at(-1)).toBe("b: ok");
});

test("answers can take as long as they did", async () => {
  const clock = new FakeClock();
  const [first] = await recorded();
  const replay = replaying(live().executor, [{ ...first!, durationMs: 4_000 }], {
    clock,
    latency: "recorded",
  });
  let answered = false;
  void replay.call(CALLS[0]!).then(() => {
    answered = true;
  });
  await clock.advance(3_999);
  expect(answered).toBe(false);
  await clock.advance(1);
  expect(answered).toBe(true);
});

test("calls that tools made are part of the answers", async () => {
  const store = new MemoryCallStore();
  const inner = scriptedTool({ name: "inner" });
  const outer = tool({
    name: "outer",
    description: "Calls inner",
    input: { type: "object" },
    safety: { sideEffects: "none", idempotent: true },
    execute: async (_args, context) => (await context.call("inner", {})).value,
  });
  const executor = new Executor({ tools: [inner, outer], store });
  await executor.call({ id: "a", name: "outer", arguments: {} });
  await executor.drain();
  expect(store.records().length).toBe(2);
  const replay = replaying(live().executor, store.records());
  expect((await replay.call({ id: "a", name: "outer", arguments: {} })).value).toBe("ok");
  expect(replay.remaining).toEqual([]);
});

test("the calls of a run that is part of another are replayed where that one is not", async () => {
  const store = new MemoryCallStore();
  const executor = new Executor({ tools: [scriptedTool({ name: "inner" })], store });
  const call = { id: "a", name: "inner", arguments: {} };
  await executor.call(call, { runId: "exec_1/run", parentId: "exec_1" });
  await executor.drain();
  const replay = replaying(live().executor, store.records());
  expect((await replay.call(call)).value).toBe("ok");
  const [record] = store.records();
  const both = [{ ...record!, executionId: "exec_1", name: "outer" }, record!];
  delete both[0]!.parentId;
  expect(replaying(live().executor, both).remaining).toHaveLength(1);
});

test("a replayed call is on the stream like any other", async () => {
  const { executor } = live();
  const events: CallEvent[] = [];
  executor.events.on((event) => events.push(event));
  await replaying(executor, await recorded()).call(CALLS[0]!, { runId: "run_2", executionId: "exec_x" });
  expect(events).toMatchObject([
    { type: "call.start", callId: "a", runId: "run_2", executionId: "exec_x" },
    { type: "call.end", callId: "a", result: { value: "first", executionId: "exec_x" }, args: { q: "one" } },
  ]);
});

test("the record of a replayed call names the tool as it was recorded", async () => {
  const [first] = await recorded();
  const { executor } = live();
  const ends: CallEvent[] = [];
  executor.events.on("call.end", (event) => ends.push(event));
  await replaying(executor, [{ ...first!, version: "1.2.0" }]).call(CALLS[0]!);
  expect(first!.definitionHash).toMatch(/./);
  expect(ends).toMatchObject([{ version: "1.2.0", definitionHash: first!.definitionHash }]);
});

test("a caller who has cancelled is not answered from the recording", async () => {
  const clock = new FakeClock();
  const replay = replaying(live().executor, await recorded(), { clock, latency: "1s" });
  const cancelling = new AbortController();
  const pending = replay.call(CALLS[0]!, { signal: cancelling.signal });
  cancelling.abort();
  expect((await pending).failure?.code).toBe("TOOL_CANCELLED");
});

test("the information-flow guard hears of what is answered from the recording", async () => {
  const flow = new InformationFlow();
  const page = scriptedTool({
    name: "fetch_page",
    more: { labels: { integrity: "untrusted", source: "web" } },
  });
  const send = scriptedTool({ name: "send_mail", safety: { sideEffects: "external" } });
  const store = new MemoryCallStore();
  const make = (guard: InformationFlow) =>
    new Executor({ tools: [page, send], guards: [guard.guard], store });
  const before = make(new InformationFlow());
  await before.call({ id: "a", name: "fetch_page", arguments: {} }, { runId: "r" });
  await before.drain();
  const sends = async (records: readonly CallRecord[], runId: string) => {
    const replay = replaying(make(flow), records, { mode: "lenient", flow });
    await replay.call({ id: "b", name: "fetch_page", arguments: {} }, { runId });
    const result = await replay.call({ id: "c", name: "send_mail", arguments: { to: "eve" } }, { runId });
    return result.failure?.code;
  };
  expect(await sends(store.records(), "r1")).toBe("TOOL_APPROVAL_REJECTED");
  // What nobody labelled may have come from anywhere.
  const unlabelled = store
    .records()
    .slice(0, 1)
    .map((record) => {
      const { labels: _, ...result } = record.result;
      return { ...record, result };
    });
  expect(await sends(unlabelled, "r2")).toBe("TOOL_APPROVAL_REJECTED");
});

test("a call that a loop refuses uses up the record of it", async () => {
  const replay = replaying(live().executor, await recorded());
  const refusal = { code: "TOOL_BUDGET_EXCEEDED", message: "no more" } as const;
  expect((await replay.call(CALLS[0]!, { refusal })).failure?.code).toBe("TOOL_BUDGET_EXCEEDED");
  expect((await replay.call(CALLS[1]!)).value).toEqual({ hits: 2 });
});

test("options that are misspelt or of another kind are refused", () => {
  const { executor } = live();
  expect(() => replaying(executor, [], { latancy: "1s" } as never)).toThrow(/Did you mean "latency"/);
  expect(() => replaying(executor, [], { inject: {} as never })).toThrow("inject must be a function");
  expect(() => replaying(executor, undefined as never)).toThrow("recording must be the records of a run");
  expect(() => replaying(undefined as never, [])).toThrow("executor must be an executor");
});

test("an unknown mode is refused", () => {
  expect(() => replaying(live().executor, [], { mode: "loose" as never })).toThrow(
    'mode must be "strict" or "lenient"; got "loose".',
  );
});
