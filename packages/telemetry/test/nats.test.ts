import { deferred, tool } from "@toolrig/core";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../scripts/start-nats.ts";
import { metricsOf } from "../src/metrics/metrics.ts";
import { telemetry } from "../src/telemetry.ts";
import { tracing } from "./spans.ts";

const input = { type: "object" } as const;
let token = "";
const inner = tool({ name: "inner", description: "Inner", input, execute: () => "in" });
const outer = tool({
  name: "outer",
  description: "Outer",
  input,
  execute: async (_, { call }) => (await call("inner", {})).value,
});
const deploy = tool({
  name: "deploy",
  description: "Deploys",
  input,
  execute(_, context) {
    token = context.token;
    return deferred({ ref: 1 });
  },
});
const broken = tool({
  name: "broken",
  description: "Fails",
  input,
  execute() {
    throw new Error("bad");
  },
});

let finish = () => {};
const slow = tool({
  name: "slow",
  description: "Slow",
  input,
  background: 20,
  execute: () =>
    new Promise<string>((resolve) => {
      finish = () => resolve("done");
    }),
});

const here = tracing();
const there = tracing();
let server: NatsProcess;
let executor: NatsExecutor;
let worker: NatsWorker;

beforeAll(async () => {
  server = await startNats();
  const nats = { servers: server.url };
  const tools = [inner, outer, deploy, broken, slow];
  const options = { nats, tools, globalTools: false };
  worker = new NatsWorker({ ...options, tracer: telemetry({ tracerProvider: there.tracerProvider }) });
  await worker.start();
  executor = await NatsExecutor.connect({
    nats,
    tracer: telemetry({ tracerProvider: here.tracerProvider }),
  });
});
afterAll(async () => {
  await executor.close();
  await worker.stop();
  await server.close();
});

test("a call of a fleet is one trace: the caller's span, the worker's below it, and what its tool calls below that", async () => {
  await here.tracerProvider.getTracer("test").startActiveSpan("request", async (span) => {
    expect((await executor.call({ id: "c", name: "outer" })).value).toBe("in");
    span.end();
  });
  expect(here.tree()).toEqual(["request", "  execute_tool outer"]);
  expect(there.tree()).toEqual(["execute_tool outer", "  execute_tool inner"]);
  const sent = here.one("execute_tool outer").spanContext();
  const ran = there.one("execute_tool outer");
  expect(ran.parentSpanContext).toMatchObject({ spanId: sent.spanId, traceId: sent.traceId, isRemote: true });
  expect(there.one("execute_tool inner").spanContext().traceId).toBe(sent.traceId);
  expect(ran.attributes["toolrig.execution.id"]).toBe(
    here.one("execute_tool outer").attributes["toolrig.execution.id"],
  );
});

test("one that fails there has failed on both sides", async () => {
  await executor.call({ id: "c", name: "broken" });
  for (const side of [here, there])
    expect(side.one("execute_tool broken").attributes["error.type"]).toBe("TOOL_EXECUTION_FAILED");
});

test("one that waits goes on in a span that is linked to the worker's first", async () => {
  const running = executor.call({ id: "c", name: "deploy" });
  await expect.poll(() => there.named("execute_tool deploy")).toHaveLength(1);
  await expect.poll(() => worker.waits.list({ open: true })).toHaveLength(1);
  const [wait] = await worker.waits.list({ open: true });
  await worker.waits.complete(wait?.executionId ?? "", token, "live");
  expect((await running).value).toBe("live");
  await expect.poll(() => there.named("execute_tool deploy")).toHaveLength(2);
  const [first, second] = there.named("execute_tool deploy");
  expect(second?.links.map(({ context }) => context.spanId)).toEqual([first?.spanContext().spanId]);
  const sent = here.one("execute_tool deploy");
  expect(sent.events.map(({ name }) => name)).toEqual(["toolrig.waiting", "toolrig.resumed"]);
  for (const span of [first, second]) expect(span?.spanContext().traceId).toBe(sent.spanContext().traceId);
});

test("one that goes on in the background ends its caller's span when that is told", async () => {
  const { waiting } = await executor.call({ id: "c", name: "slow" }, { onWaiting: "return" });
  expect(waiting?.kind).toBe("background");
  expect(here.one("execute_tool slow").attributes["toolrig.call.waiting"]).toBe("background");
  const ran = () => {
    // It may have begun only now.
    finish();
    return there.named("execute_tool slow");
  };
  await expect.poll(ran).toHaveLength(1);
});

test("a worker counts what it did, by tool and by message", () => {
  const text = metricsOf(worker).text();
  for (const line of [
    "# TYPE agentic_tools_executions_total counter",
    'agentic_tools_executions_total{tool_name="outer",status="success"} 1',
    'agentic_tools_executions_total{tool_name="broken",status="error"} 1',
    'agentic_tools_errors_total{tool_name="broken",error_type="TOOL_EXECUTION_FAILED"} 1',
    'agentic_tools_execution_duration_seconds_count{tool_name="outer"} 1',
    'agentic_tools_waits_total{tool_name="deploy",kind="deferred"} 1',
    "agentic_tools_registered 5",
    "agentic_tools_in_flight 0",
    "agentic_tools_messages_received_total 4",
    "agentic_tools_parked_total 1",
  ])
    expect(text.split("\n")).toContain(line);
});
