import { type AnyTool, tool } from "@toolrig/core";
import { executorContract, scriptedTool } from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HANG_MS } from "../../../../scripts/hang-limit.ts";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import type { NatsWorkerOptions } from "../worker/options.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";
import type { NatsExecutorOptions } from "./options.ts";

let server: NatsProcess;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

const nats = () => ({ servers: server.url, timeout: HANG_MS });
const fleet = { ackWait: "500ms" } as const;
const open: { close(): Promise<void> }[] = [];

async function caller(more: Partial<NatsExecutorOptions> = {}): Promise<NatsExecutor> {
  const executor = await NatsExecutor.connect({ nats: nats(), fleet, ...more });
  open.push(executor);
  return executor;
}

async function work(tools: readonly AnyTool[], more: Partial<NatsWorkerOptions> = {}): Promise<NatsWorker> {
  const worker = new NatsWorker({ nats: nats(), fleet, tools, ...more });
  await worker.start();
  open.push({ close: () => worker.stop("1s") });
  return worker;
}

afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

describe("an executor on a fleet", () => {
  const cases = executorContract(async (tools) => {
    const worker = new NatsWorker({ nats: nats(), fleet, tools, config: { delete_consumer_on_stop: true } });
    await worker.start();
    const executor = await NatsExecutor.connect({ nats: nats(), fleet, caller: `c${Math.random()}` });
    return {
      value: executor,
      async close() {
        await executor.close();
        await worker.stop("1s");
      },
    };
  });
  for (const each of cases) test(each.name, () => each.run());
});

describe("what a caller is told", () => {
  test("a tool that nobody has is not found, with names that are near", async () => {
    await work([scriptedTool({ name: "read_page" })]);
    const executor = await caller();
    const { failure } = await executor.call({ id: "c", name: "read_pages", arguments: {} });
    expect(failure?.code).toBe("TOOL_NOT_FOUND");
    expect(failure?.message).toContain("read_page");
  });

  test("a tool whose workers are away is waited for", async () => {
    const worker = await work([scriptedTool({ name: "away_tool" }), scriptedTool({ name: "here_tool" })]);
    await worker.stop();
    await work([scriptedTool({ name: "here_tool" })]);
    const executor = await caller();
    const result = executor.call({ id: "c", name: "away_tool", arguments: {} });
    await work([scriptedTool({ name: "away_tool", script: [{ returns: "back" }] })]);
    expect((await result).content).toEqual([{ type: "text", text: "back" }]);
  });

  test("a call that no worker takes is withdrawn and never runs", async () => {
    const idle = scriptedTool({ name: "late_tool" });
    const worker = await work([idle]);
    await worker.stop();
    const executor = await caller({ queueTimeout: "1s" });
    const result = await executor.call({ id: "c", name: "late_tool", arguments: {} });
    expect(result.failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(result.failure?.message).toContain("withdrawn");
    const late = scriptedTool({ name: "late_tool" });
    await work([late]);
    expect((await executor.call({ id: "d", name: "late_tool", arguments: {} })).isError).toBe(false);
    expect(late.calls.length).toBe(1);
  });

  test("a tool that says it is unavailable is so, with its reason", async () => {
    await work([
      tool({
        name: "no_key",
        description: "Needs a key",
        input: { type: "object" },
        available: () => "no API key",
        execute: () => 1,
      }),
    ]);
    const executor = await caller();
    const { failure } = await executor.call({ id: "c", name: "no_key", arguments: {} });
    expect(failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(failure?.message).toContain("no API key");
  });

  test("a tool that may not run anywhere is not allowed", async () => {
    await work([scriptedTool({ name: "delete_all" })], { config: { allowed_tools: ["read_all"] } });
    const executor = await caller();
    const { failure } = await executor.call({ id: "c", name: "delete_all", arguments: {} });
    expect(failure).toMatchObject({ code: "TOOL_NOT_ALLOWED", message: "tool 'delete_all' is not allowed" });
  });

  test("calls, results and arguments may be larger than a message", async () => {
    await work([scriptedTool({ name: "echo_back", script: [(args) => args] })], { maxContent: 10_000_000 });
    const executor = await caller();
    const text = "é".repeat(1_500_000);
    const result = await executor.call({ id: "c", name: "echo_back", arguments: { text } });
    expect(result.failure).toBeUndefined();
    expect(result.value).toEqual({ text });
  });

  test("a client that comes back gets the outcome of what it started", async () => {
    let finish = () => {};
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = scriptedTool({
      name: "slow_note",
      safety: { sideEffects: "write" },
      script: [() => ended.then(() => "noted")],
    });
    await work([slow]);
    const first = await caller();
    const call = { id: "c", name: "slow_note", arguments: { n: 1 } };
    const abandoned = first.call(call, { executionId: "exec_comes.back" });
    await expect.poll(() => slow.calls.length).toBe(1);
    await first.close();
    expect((await abandoned).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");

    const second = await caller();
    const waiting = second.resultOf("exec_comes.back");
    const third = await caller();
    const again = third.call(call, { executionId: "exec_comes.back" });
    finish();
    expect((await waiting)?.value).toBe("noted");
    expect((await again).value).toBe("noted");
    expect((await second.resultOf("exec_comes.back"))?.value).toBe("noted");
    expect(await second.resultOf("exec_never.was")).toBeUndefined();
    expect(slow.calls.length).toBe(1);
  });

  test("an outcome is that of its own call, also once nobody has the tool any more", async () => {
    await work([scriptedTool({ name: "stays_here" })]);
    const gone = await work([scriptedTool({ name: "soon_gone", script: [{ returns: "first" }] })], {
      config: { delete_consumer_on_stop: true },
    });
    const executor = await caller();
    const first = { id: "c", name: "soon_gone", arguments: { n: 1 } };
    expect((await executor.call(first, { executionId: "soon.gone" })).value).toBe("first");
    await gone.stop();
    await expect.poll(async () => (await executor.fleet()).offersOf("soon_gone").length).toBe(0);
    expect((await executor.call(first, { executionId: "soon.gone" })).value).toBe("first");
    const other = { ...first, arguments: { n: 2 } };
    expect((await executor.call(other, { executionId: "soon.gone" })).failure?.code).toBe("TOOL_BLOCKED");
    expect((await executor.call(other, { executionId: "soon.other" })).failure?.code).toBe("TOOL_NOT_FOUND");
  });

  test("the same execution asked for twice at once runs once, and both are told", async () => {
    const note = scriptedTool({ name: "note_once", safety: { sideEffects: "write" } });
    await work([note]);
    const executor = await caller();
    const options = { executionId: "exec_twice.1" };
    const ask = (id: string, n: number) =>
      executor.call({ id, name: "note_once", arguments: { n } }, options);
    const results = await Promise.all([
      ask("a", 1),
      ask("b", 1),
      ask("c", 2),
      executor.resultOf("exec_twice.1"),
    ]);
    expect(results.map((result) => result?.failure?.code ?? result?.callId)).toEqual([
      "a",
      "b",
      "TOOL_BLOCKED",
      "a",
    ]);
    expect(note.calls.length).toBe(1);
  });

  test("of two callers that use one execution id for different calls at once, one is told that its own did not run", async () => {
    const slow = scriptedTool({
      name: "same_id",
      script: [() => new Promise((resolve) => setTimeout(resolve, 50, "ran"))],
    });
    await work([slow]);
    const pair = [await caller({ caller: "pair" }), await caller({ caller: "pair" })];
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(
        pair.map((each, n) =>
          each.call({ id: "c", name: "same_id", arguments: { n } }, { executionId: `same${round}` }),
        ),
      );
      expect(results.map(({ failure }) => failure?.code ?? "ok").sort()).toEqual(["TOOL_BLOCKED", "ok"]);
    }
    expect(slow.calls.length).toBe(5);
  });

  test("an execution that is over says so when it is asked for again", async () => {
    const note = scriptedTool({
      name: "note_again",
      safety: { sideEffects: "write" },
      script: [() => "noted"],
    });
    await work([note]);
    const executor = await caller();
    const call = { id: "c", name: "note_again", arguments: { n: 1 } };
    const ask = () => executor.call(call, { executionId: "exec_over.1" });
    expect(await ask()).toMatchObject({ value: "noted", attempts: 1 });
    expect(await ask()).toMatchObject({ value: "noted", attempts: 0, replayed: true });
    const other = await executor.call({ ...call, arguments: { n: 2 } }, { executionId: "exec_over.1" });
    expect([other.failure?.code, other.replayed]).toEqual(["TOOL_BLOCKED", undefined]);
    expect(note.calls.length).toBe(1);
  });

  test("a worker with a great many tools shows them all", async () => {
    const input = { type: "object", description: "x".repeat(40_000) };
    await work(Array.from({ length: 50 }, (_, index) => scriptedTool({ name: `many_${index}`, input })));
    const view = await (await caller()).fleet();
    await expect.poll(() => view.offersOf("many_49").length).toBe(1);
  });

  test("runs take turns when more calls wait than may be out", async () => {
    const order: string[] = [];
    await work([
      tool({
        name: "take_turn",
        description: "Notes who came",
        input: { type: "object", properties: { run: { type: "string" } } },
        async execute({ run }) {
          order.push(run as string);
          await new Promise((resolve) => setTimeout(resolve, 5));
        },
      }),
    ]);
    const executor = await caller({ maxInFlight: 1 });
    const many = Array.from({ length: 20 }, (_, index) =>
      executor.call({ id: `a${index}`, name: "take_turn", arguments: { run: "a" } }, { runId: "a" }),
    );
    const few = Array.from({ length: 2 }, (_, index) =>
      executor.call({ id: `b${index}`, name: "take_turn", arguments: { run: "b" } }, { runId: "b" }),
    );
    await Promise.all([...many, ...few]);
    expect(order.lastIndexOf("b")).toBeLessThan(6);
  });

  test("a tool with many calls keeps no other waiting", async () => {
    const slow = scriptedTool({ name: "slow_tool", script: [{ hangs: true }] });
    await work([slow, scriptedTool({ name: "fast_tool" })]);
    const executor = await caller({ maxInFlight: 2 });
    const controller = new AbortController();
    const many = Array.from({ length: 5 }, (_, index) =>
      executor.call({ id: `s${index}`, name: "slow_tool", arguments: {} }, { signal: controller.signal }),
    );
    await expect.poll(() => slow.calls.length).toBe(2);
    expect(executor.counts()).toEqual({ out: 2, waiting: 3 });
    expect((await executor.call({ id: "f", name: "fast_tool", arguments: {} })).isError).toBe(false);
    controller.abort();
    await Promise.all(many);
    expect(executor.counts()).toEqual({ out: 0, waiting: 0 });
  });

  test("callers share a tool's workers, however many calls one of them has", async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    await work([scriptedTool({ name: "shared_tool", script: [pause] })], { config: { concurrency: 4 } });
    const [busy, modest] = [await caller(), await caller()];
    let ended = 0;
    const many = Array.from({ length: 600 }, async (_, index) => {
      await busy.call({ id: `b${index}`, name: "shared_tool", arguments: {} });
      ended += 1;
    });
    await expect.poll(() => ended).toBeGreaterThan(10);
    const few = ["x", "y"].map((id) => modest.call({ id, name: "shared_tool", arguments: {} }));
    expect((await Promise.all(few)).some(({ isError }) => isError)).toBe(false);
    expect(ended).toBeLessThan(300);
    await Promise.all(many);
  });

  test("options that are none are refused where they are given", async () => {
    const executor = await caller();
    const call = { id: "c", name: "read_page", arguments: {} };
    for (const [field, options] of [
      ["executionId", { executionId: 7 }],
      ["executionId", { executionId: null }],
      ["signal", { signal: new AbortController() }],
      ["principal", { principal: "ada" }],
      ["timeout", { timeout: -1 }],
      ["timeoutMs", { timeoutMs: 5 }],
      ["priority", { priority: "urgent" }],
      ["options", null],
    ] as const) {
      const refused = expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringContaining(field),
      });
      expect(() => executor.call(call, options as never)).toThrow(refused);
      expect(() => executor.batch([call], options as never)).toThrow(refused);
    }
    expect(() => executor.batch([call], { executionIds: [7 as never] })).toThrow(/executionIds\[0\]/);
    expect(() => executor.batch(null as never)).toThrow(/list of calls/);
  });

  test("whatever comes as a call is answered", async () => {
    await work([scriptedTool({ name: "answers_all" })]);
    const executor = await caller();
    await expect.poll(async () => (await executor.fleet()).offersOf("answers_all").length).toBe(1);
    executor.events.on(() => {});
    const code = async (call: unknown) => (await executor.call(call as never)).failure?.code;
    for (const call of [null, undefined, "read_page", {}, { id: "c", name: Object.create(null) }])
      expect(await code(call)).toBe("TOOL_NOT_FOUND");
    const thrower = {
      get x(): never {
        throw new Error("not to be read");
      },
    };
    expect(await code({ id: "c", name: "answers_all", arguments: thrower })).toBe("TOOL_EXECUTION_FAILED");
    const unreadable = {
      id: "c",
      name: "answers_all",
      get arguments(): never {
        throw new Error("not to be read");
      },
    };
    expect(await code(unreadable)).toBe("TOOL_NOT_FOUND");
    const good = { id: "c", name: "answers_all", arguments: {} };
    const results = await executor.batch([good, null as never, { ...good, arguments: thrower }, good]);
    expect(results.map(({ isError }) => isError)).toEqual([false, true, true, false]);
  });

  test("a call needs no id of its own, as in one process", async () => {
    await work([scriptedTool({ name: "nameless" })]);
    const executor = await caller();
    for (const id of ["", undefined]) {
      const result = await executor.call({ id: id as string, name: "nameless", arguments: {} });
      expect([result.isError, result.callId]).toEqual([false, id]);
    }
  });

  test("who asks for no version gets a pre-release only where there is nothing else", async () => {
    const make = (name: string, version: string) =>
      scriptedTool({ name, script: [{ returns: version }], more: { version } });
    await work([make("canary", "1.4.0")]);
    await work([make("canary", "2.0.0-beta.1"), make("early_bird", "0.1.0-alpha")]);
    const executor = await caller();
    const view = await executor.fleet();
    await expect.poll(() => [...view.offersOf("canary"), ...view.offersOf("early_bird")].length).toBe(3);
    const value = async (name: string, version?: string) => {
      const call = { id: "c", name, arguments: {}, ...(version !== undefined && { version }) };
      return (await executor.call(call)).value;
    };
    expect(await value("canary")).toBe("1.4.0");
    expect(await value("canary", "2.0.0-beta.1")).toBe("2.0.0-beta.1");
    expect(await value("early_bird")).toBe("0.1.0-alpha");
    expect(view.get("canary")?.version).toBe("1.4.0");
  });

  test("calls that wait here are bounded, and those beyond are told so at once", async () => {
    const held = scriptedTool({ name: "held_tool", script: [{ hangs: true }] });
    await work([held]);
    const executor = await caller({ maxInFlight: 1, maxWaiting: 2 });
    const call = { id: "c", name: "held_tool", arguments: {} };
    const kept = [1, 2, 3].map(() => executor.call(call));
    await expect.poll(() => executor.counts()).toEqual({ out: 1, waiting: 2 });
    const { failure } = await executor.call(call);
    expect(failure).toMatchObject({ code: "TOOL_RATE_LIMITED", retryable: true });
    expect(failure?.message).toContain("maxWaiting");
    await expect.poll(() => held.calls.length).toBe(1);
    await executor.close();
    const codes = (await Promise.all(kept)).map((each) => each.failure?.code);
    expect(codes).toEqual(["TOOL_OUTCOME_UNKNOWN", "TOOL_UNAVAILABLE", "TOOL_UNAVAILABLE"]);
    expect((await executor.call(call)).failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(held.calls.length).toBe(1);
  });

  test("what waits to be sent is given up together with what was sent in vain", async () => {
    const worker = await work([scriptedTool({ name: "gone_tool" })]);
    await worker.stop();
    const executor = await caller({ queueTimeout: "1s", maxInFlight: 2 });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        executor.call({ id: `g${index}`, name: "gone_tool", arguments: {} }),
      ),
    );
    const [told] = [...new Set(results.map(({ failure }) => failure?.code))];
    expect(told).toBe("TOOL_UNAVAILABLE");
    expect(results.every(({ failure }) => failure?.message.includes("withdrawn"))).toBe(true);
  });
});

describe("an approval that nobody answers", () => {
  const guarded = scriptedTool({ name: "guarded", more: { approval: true } });
  const call = { id: "c", name: "guarded", arguments: {} };
  let asked = 0;
  const silent = () => {
    asked += 1;
    return new Promise<never>(() => {});
  };

  async function waiting(more: Partial<NatsExecutorOptions> = {}, options: { signal?: AbortSignal } = {}) {
    asked = 0;
    const executor = await caller({ approval: silent, ...more });
    const result = executor.call(call, options);
    await expect.poll(() => asked).toBe(1);
    return { executor, result };
  }

  beforeAll(() => work([guarded]));

  test("is given up when the call is cancelled", async () => {
    const controller = new AbortController();
    const { executor, result } = await waiting({ maxInFlight: 1 }, controller);
    controller.abort();
    const { failure } = await result;
    expect(failure).toMatchObject({
      code: "TOOL_CANCELLED",
      message: "The call was cancelled before it was submitted.",
    });
    // Its place is free again.
    void executor.call(call);
    await expect.poll(() => asked).toBe(2);
  });

  test("is given up when the executor is closed", async () => {
    const { executor, result } = await waiting();
    await executor.close();
    expect((await result).failure?.code).toBe("TOOL_UNAVAILABLE");
  });

  test("is given up after queueTimeout", async () => {
    const { result } = await waiting({ queueTimeout: "200ms" });
    const { failure } = await result;
    expect(failure?.code).toBe("TOOL_UNAVAILABLE");
    expect(failure?.message).toContain(
      "Nobody answered within 200 ms (queueTimeout) whether guarded may run",
    );
    expect(guarded.calls).toEqual([]);
  });
});
