import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { AgentLoop, PlanExecutor, scriptedEngine } from "@toolrig/agent";
import { ApprovalQueue, deferred, EventStream, Executor, MemoryLedger, tool, transient } from "@toolrig/core";
import { MemoryWaitStore } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { tracing } from "../../test/spans.ts";
import { telemetry } from "../telemetry.ts";

const input = { type: "object" } as const;
const safety = { sideEffects: "read", idempotent: true } as const;
const spec = { description: "Does it", input, safety };

const inner = tool({ ...spec, name: "inner", execute: () => trace.getActiveSpan()?.spanContext().spanId });
const outer = tool({
  ...spec,
  name: "outer",
  execute: async (_, { call }) => {
    const own = trace.getActiveSpan()?.spanContext().spanId;
    const { value } = await call("inner", {});
    return { own, inner: value, after: trace.getActiveSpan()?.spanContext().spanId };
  },
});
const flaky = tool({
  ...spec,
  name: "flaky",
  retry: { backoff: 0 },
  execute: (_, { attempt }) => (attempt === 1 ? transient("not yet") : "there"),
});
const broken = tool({
  ...spec,
  name: "broken",
  execute: () => {
    throw new Error("secret reason");
  },
});
const steps = tool({
  ...spec,
  name: "steps",
  async *execute() {
    yield "one";
    return trace.getActiveSpan()?.spanContext().spanId;
  },
});

test("a run is the parent of its turns and calls, and a call of those that its tool makes", async () => {
  const { tracerProvider, tree, one } = tracing();
  const tracer = telemetry({ tracerProvider, agent: "helper" });
  const script = [
    { calls: [{ name: "outer" }, { name: "flaky" }], usage: { inputTokens: 7, outputTokens: 3 } },
    { calls: [{ name: "broken" }, { name: "steps" }] },
    "done",
  ];
  const engine = { ...scriptedEngine(script), name: "scripted:small" };
  const loop = new AgentLoop({ engine, tools: [inner, outer, flaky, broken, steps], tracer });
  const { messages, status } = await loop.run("go", { runId: "run_1" }).outcome;
  expect(status).toBe("answered");
  expect(tree()).toEqual([
    "invoke_agent helper",
    "  chat small",
    "  execute_tool outer",
    "    execute_tool inner",
    "  execute_tool flaky",
    "  chat small",
    "  execute_tool broken",
    "  execute_tool steps",
    "  chat small",
  ]);
  const run = one("invoke_agent helper");
  expect(run.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "helper",
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 3,
    "toolrig.run.id": "run_1",
    "toolrig.run.status": "answered",
    "toolrig.run.turns": 3,
    "toolrig.run.calls": 4,
  });
  const own = one("execute_tool outer");
  expect(own.kind).toBe(SpanKind.INTERNAL);
  expect(own.attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "outer",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": expect.any(String),
    "toolrig.execution.id": expect.stringMatching(/^exec/),
    "toolrig.call.attempts": 1,
  });
  expect(Object.keys(own.attributes).filter((name) => /arguments|result$/.test(name))).toEqual([]);
  const { spanId } = own.spanContext();
  const said = JSON.stringify(messages);
  for (const text of [
    `"own\\":\\"${spanId}`,
    `"after\\":\\"${spanId}`,
    one("execute_tool inner").spanContext().spanId,
  ])
    expect(said).toContain(text);
  expect(said).toContain(one("execute_tool steps").spanContext().spanId);
});

test("responses of a model say which, how many tokens and why it stopped; one that fails says why", async () => {
  const { tracerProvider, named, one } = tracing();
  const tracer = telemetry({ tracerProvider });
  const usage = { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 };
  const engine = { ...scriptedEngine([{ text: "hi", usage }]), name: "openai:gpt-5" };
  await new AgentLoop({ engine, tracer }).run("go").outcome;
  const [chat] = named("chat gpt-5");
  expect(chat?.kind).toBe(SpanKind.CLIENT);
  expect(chat?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 2,
    "gen_ai.usage.cache_read.input_tokens": 4,
  });
  const failing = {
    name: "down",
    stream() {
      throw new Error("no such model");
    },
  };
  await new AgentLoop({ engine: failing, tracer, retry: { attempts: 1 } }).run("go").outcome;
  expect(one("chat down").status.code).toBe(SpanStatusCode.ERROR);
  expect(one("chat down").attributes["error.type"]).toEqual(expect.any(String));
  expect(named("invoke_agent")[1]?.attributes["error.type"]).toBe("ENGINE_FAILED");
});

test("a plan is a workflow, and its steps' calls and loops are within it", async () => {
  const { tracerProvider, tree } = tracing();
  const plan = {
    steps: [
      { name: "look", kind: "tool", tool: "flaky", input: {} },
      { name: "say", kind: "infer", prompt: "Say it", after: ["look"] },
    ],
  };
  const engine = { ...scriptedEngine(["said"]), name: "m" };
  const executor = new PlanExecutor({ tools: [flaky], engine, tracer: telemetry({ tracerProvider }) });
  const { status, error } = await executor.run(plan).outcome;
  expect([status, error]).toEqual(["completed", undefined]);
  expect(tree()).toEqual(["invoke_workflow", "  execute_tool flaky", "  invoke_agent", "    chat m"]);
});

test("retries and failures are told with their codes, and without what they quote", async () => {
  const { tracerProvider, one } = tracing();
  const executor = new Executor({ tools: [flaky, broken], tracer: telemetry({ tracerProvider }) });
  await executor.call({ id: "c1", name: "flaky" });
  await executor.call({ id: "c2", name: "broken" });
  await executor.call({ id: "c3", name: "no_such_tool" });
  const retried = one("execute_tool flaky");
  expect(retried.attributes["toolrig.call.attempts"]).toBe(2);
  expect(retried.events).toMatchObject([
    { name: "toolrig.retry", attributes: { attempt: 1, delay_ms: 0, "error.type": "TOOL_TRANSIENT" } },
  ]);
  const failed = one("execute_tool broken");
  expect(failed.attributes["error.type"]).toBe("TOOL_EXECUTION_FAILED");
  expect(failed.status).toEqual({ code: SpanStatusCode.ERROR, message: "TOOL_EXECUTION_FAILED" });
  expect(JSON.stringify([failed.attributes, failed.status, failed.events])).not.toContain("secret reason");
  expect(one("execute_tool").attributes).toMatchObject({
    "gen_ai.tool.name": "no_such_tool",
    "error.type": "TOOL_NOT_FOUND",
  });
});

test("arguments and results are recorded where that is asked for, without secrets", async () => {
  const { tracerProvider, one } = tracing();
  const echo = tool({ ...spec, name: "echo", execute: (args) => args });
  const tracer = telemetry({ tracerProvider, record: { arguments: true, results: true } });
  await new Executor({ tools: [echo], tracer }).call({
    id: "c",
    name: "echo",
    arguments: { to: "ann", password: "hunter2", long: "x".repeat(20_000) },
  });
  const { attributes } = one("execute_tool echo");
  for (const name of ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]) {
    expect(attributes[name]).toContain('"to":"ann"');
    expect(attributes[name]).not.toContain("hunter2");
    expect(String(attributes[name]).length).toBeLessThan(10_100);
  }
});

test("of arguments that a model wrote as text, what is secret is told by their fields", async () => {
  const { tracerProvider, one } = tracing();
  const echo = tool({ ...spec, name: "echo", execute: () => "ok" });
  const tracer = telemetry({ tracerProvider, record: { arguments: true } });
  await new Executor({ tools: [echo], tracer }).call({
    id: "c".repeat(10_000),
    name: "echo",
    arguments: "{to: 'ann', password: 'hunter2'}",
  });
  const { attributes } = one("execute_tool echo");
  expect(attributes["gen_ai.tool.call.arguments"]).toBe('{"to":"ann","password":"[redacted]"}');
  expect(String(attributes["gen_ai.tool.call.id"])).toHaveLength(128);
});

test("executors that share a stream make one span a call", async () => {
  const { tracerProvider, tree } = tracing();
  const tracer = telemetry({ tracerProvider });
  const events = new EventStream();
  for (const tools of [[inner], [flaky]])
    await new Executor({ tools, events, tracer }).call({ id: "c", name: tools[0]?.name ?? "" });
  expect(tree()).toEqual(["execute_tool inner", "execute_tool flaky"]);
});

test("what a timer does later belongs to no span that has ended by then", async () => {
  const { tracerProvider, tree, one } = tracing();
  let later: Promise<unknown> | undefined;
  const sets = tool({
    ...spec,
    name: "sets",
    execute() {
      later = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
        executor.call({ id: "c", name: "inner" }),
      );
      return "set";
    },
  });
  const executor = new Executor({ tools: [sets, inner], tracer: telemetry({ tracerProvider }) });
  await executor.call({ id: "c", name: "sets" });
  await later;
  expect(tree()).toEqual(["execute_tool sets", "execute_tool inner"]);
  expect(one("execute_tool inner").spanContext().traceId).not.toBe(
    one("execute_tool sets").spanContext().traceId,
  );
});

test("a call belongs to what is active where it is made, and to what another process says before that", async () => {
  const { tracerProvider, one, all } = tracing();
  const executor = new Executor({ tools: [inner, flaky], tracer: telemetry({ tracerProvider }) });
  const tracer = tracerProvider.getTracer("test");
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await tracer.startActiveSpan("request", async (span) => {
    await executor.call({ id: "c", name: "inner" });
    await executor.call({ id: "c", name: "flaky" }, { trace: { traceparent } });
    span.end();
  });
  const request = one("request").spanContext();
  expect(one("execute_tool inner").parentSpanContext?.spanId).toBe(request.spanId);
  const remote = one("execute_tool flaky");
  expect(remote.parentSpanContext).toMatchObject({ spanId: "b7ad6b7169203331", isRemote: true });
  expect(remote.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
  expect(remote.links.map(({ context }) => context.spanId)).toEqual([request.spanId]);
  expect(all()).toHaveLength(3);
  for (const wrong of [{ traceparent: "nonsense" }, "00-1", 5, {}])
    expect(() => executor.call({ id: "c", name: "inner" }, { trace: wrong as never })).toThrow(
      /trace must be/,
    );
});

test("a tool is given the headers with which a service goes on with its trace", async () => {
  const { tracerProvider, one } = tracing();
  const headers = tool({ ...spec, name: "headers", execute: (_, { trace: carrier }) => ({ ...carrier }) });
  const executor = new Executor({ tools: [headers], tracer: telemetry({ tracerProvider }) });
  const { value } = await executor.call({ id: "c", name: "headers" });
  const { traceId, spanId } = one("execute_tool headers").spanContext();
  expect(value).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  // Without anybody who traces, what came goes on.
  const given = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", tracestate: "a=1" };
  const bare = new Executor({ tools: [headers] });
  expect((await bare.call({ id: "c", name: "headers" }, { trace: given })).value).toEqual(given);
});

test("a call that waits is one span while it is held, and two that are linked when it was put aside", async () => {
  const { tracerProvider, one, named } = tracing();
  let token = "";
  const deploy = tool({
    description: "Deploys",
    input,
    name: "deploy",
    execute(_, context) {
      token = context.token;
      return deferred({ ref: 7 });
    },
  });
  const shared = { waits: new MemoryWaitStore(), ledger: new MemoryLedger(), tools: [deploy] };
  const first = new Executor({ ...shared, tracer: telemetry({ tracerProvider }) });
  const held = first.call({ id: "c1", name: "deploy" });
  await expect.poll(() => first.waits.list({ open: true })).toHaveLength(1);
  const [wait] = await first.waits.list({ open: true });
  await first.waits.complete(wait?.executionId ?? "", token, "live");
  expect((await held).value).toBe("live");
  expect(one("execute_tool deploy").events.map(({ name }) => name)).toEqual([
    "toolrig.waiting",
    "toolrig.resumed",
  ]);

  const left = await first.call({ id: "c2", name: "deploy" }, { onWaiting: "return" });
  expect(left.waiting?.kind).toBe("deferred");
  const [, parked] = named("execute_tool deploy");
  expect(parked?.attributes["toolrig.call.waiting"]).toBe("deferred");
  const second = new Executor({ ...shared, tracer: telemetry({ tracerProvider }) });
  await second.waits.complete(left.executionId, token, "live");
  const [, , resumed] = named("execute_tool deploy");
  expect(resumed?.links.map(({ context }) => context.spanId)).toEqual([parked?.spanContext().spanId]);
  expect(resumed?.spanContext().traceId).toBe(parked?.spanContext().traceId);
  expect(resumed?.attributes["toolrig.execution.id"]).toBe(left.executionId);
});

test("no span stays open, however a call ends or is left", async () => {
  const open = new Set<string>();
  const spanProcessors = [
    {
      onStart: (span: { spanContext(): { spanId: string } }) => void open.add(span.spanContext().spanId),
      onEnd: (span: { spanContext(): { spanId: string } }) => void open.delete(span.spanContext().spanId),
      forceFlush: async () => {},
      shutdown: async () => {},
    },
  ];
  const tracer = telemetry({ tracerProvider: new BasicTracerProvider({ spanProcessors }) });
  const more = { description: "Does it", input };
  let token = "";
  let finish = () => {};
  const tools = [
    inner,
    outer,
    flaky,
    broken,
    tool({ ...more, name: "approved", approval: true, execute: () => 1 }),
    tool({ ...more, name: "asks", execute: async (_, { ask }) => (await ask({ message: "Which?" })).status }),
    tool({ ...more, name: "slow", timeout: "5ms", execute: () => new Promise(() => {}) }),
    tool({
      ...more,
      name: "defers",
      execute(_, context) {
        token = context.token;
        return deferred({ ref: 1 });
      },
    }),
    tool({
      ...more,
      name: "goes_on",
      background: 1,
      execute: () =>
        new Promise<string>((resolve) => {
          finish = () => resolve("done");
        }),
    }),
  ];
  const queue = new ApprovalQueue();
  const executor = new Executor({ tools, tracer, approve: queue.approver });
  const names = [...tools.map(({ name }) => name), "no_such_tool", ""];
  const left: string[] = [];
  for (const onWaiting of ["return", "leave"] as const)
    for (const name of names) {
      const { waiting, executionId } = await executor.call({ id: "c", name }, { onWaiting });
      if (waiting !== undefined) left.push(`${name} ${waiting.kind}`);
      if (name === "defers") await executor.waits.complete(executionId, token, 1);
      finish();
    }
  expect(new Set(left)).toEqual(
    new Set(["approved approval", "asks question", "defers deferred", "goes_on background"]),
  );
  const cancelled = new AbortController();
  const held = executor.call({ id: "c", name: "defers" }, { signal: cancelled.signal });
  await expect.poll(() => executor.waits.list({ open: true, kind: "deferred" })).toHaveLength(1);
  cancelled.abort();
  expect((await held).failure?.code).toBe("TOOL_CANCELLED");
  for (const { kind, executionId } of await executor.waits.list({ open: true }))
    if (kind === "question") await executor.waits.answer(executionId, { by: { id: "ann" }, value: "this" });
  await executor.stop();
  await expect.poll(() => open.size).toBe(0);
});

test("without an SDK nothing is kept, and calls and runs go on as ever", async () => {
  const tracer = telemetry();
  const executor = new Executor({ tools: [inner, outer], tracer });
  expect((await executor.call({ id: "c", name: "outer" })).isError).toBe(false);
  const engine = scriptedEngine([{ calls: [{ name: "inner" }] }, "done"]);
  expect((await new AgentLoop({ engine, tools: [inner], tracer }).run("go").outcome).status).toBe("answered");
});

test("an SDK that fails breaks no call and no run", async () => {
  const failing = {
    getTracer: () => ({
      startSpan() {
        throw new Error("full");
      },
    }),
  };
  const tracer = telemetry({ tracerProvider: failing as never });
  const engine = scriptedEngine([{ calls: [{ name: "outer" }] }, "done"]);
  const { status } = await new AgentLoop({ engine, tools: [inner, outer], tracer }).run("go").outcome;
  expect(status).toBe("answered");
});

test.each([
  [{ trace: true }, 'Unknown option "trace" for telemetry. Did you mean "traces"?'],
  [{ record: { result: true } }, 'Did you mean "results"?'],
  [{ record: { results: "yes" } }, "record.results must be true or false"],
  [{ tracerProvider: {} }, "tracerProvider must be a tracer provider"],
  [{ prefix: "my-tools" }, "prefix must be letters, digits and _"],
  [{ agent: 5 }, "agent must be"],
])("options %o are refused", (options, message) => {
  expect(() => telemetry(options as never)).toThrow(message);
});
