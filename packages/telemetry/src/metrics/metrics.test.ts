import { execFileSync, spawnSync } from "node:child_process";
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { deferred, EventStream, Executor, tool, transient } from "@toolrig/core";
import { MemoryArtifactStore } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { readExposition } from "../../test/exposition.ts";
import { telemetry } from "../telemetry.ts";
import { metricsText } from "./metric.ts";
import { metricsOf } from "./metrics.ts";

const input = { type: "object", properties: { n: { type: "number" } } } as const;
const safety = { sideEffects: "none", idempotent: true } as const;
const spec = { description: "Does it", input, safety };
const ok = tool({ ...spec, name: "ok", execute: () => 1 });
const flaky = tool({
  ...spec,
  name: "flaky",
  retry: { backoff: 0, attempts: 2 },
  execute: () => transient("no"),
});
const slow = tool({ ...spec, name: "slow", timeout: "10ms", execute: () => new Promise(() => {}) });
const pure = tool({ ...spec, name: "pure", pure: true, execute: () => 1 });
const writes = tool({ name: "writes", description: "Writes", input, execute: () => 1 });
const asks = tool({ ...spec, name: "asks", approval: true, execute: () => 1 });
const hidden = tool({ ...spec, name: "hidden", execute: () => 1 });
const later = tool({ name: "later", description: "Later", input, execute: () => deferred({ ref: 1 }) });
const tools = [ok, flaky, slow, pure, writes, asks, hidden, later];
const allow = tools.filter((each) => each !== hidden).map(({ name }) => name);

/** `promtool`, where the machine has Prometheus. */
const promtool = process.env.PROMTOOL ?? "promtool";
const hasPromtool = spawnSync(promtool, ["--version"]).status === 0;

const lines = (text: string) => text.split("\n").filter((line) => !line.startsWith("#"));

async function busy(executor: Executor): Promise<void> {
  await executor.call({ id: "c", name: "ok", arguments: "{n: '1'}" });
  for (const { name } of [flaky, slow, writes, hidden, asks]) await executor.call({ id: "c", name });
  for (const runId of ["r", "r"]) await executor.call({ id: "c", name: "pure" }, { runId });
  await executor.call({ id: "c", name: "later" }, { onWaiting: "return" });
}

test("everything that calls come to is counted, under a name that is told", async () => {
  const answers = [true, false];
  const executor = new Executor({
    tools,
    allow,
    tracer: telemetry(),
    approve: async () => ({ approved: answers.shift() ?? false }),
    artifacts: new MemoryArtifactStore(),
  });
  await busy(executor);
  await executor.call({ id: "c", name: "asks" });
  const text = metricsOf(executor).text();
  const got = lines(text);
  for (const line of [
    'agentic_tools_executions_total{tool_name="ok",status="success"} 1',
    'agentic_tools_executions_total{tool_name="flaky",status="error"} 1',
    'agentic_tools_executions_total{tool_name="slow",status="timeout"} 1',
    'agentic_tools_errors_total{tool_name="flaky",error_type="TOOL_TRANSIENT"} 1',
    'agentic_tools_timeout_total{tool_name="slow"} 1',
    'agentic_tools_filtered_total{tool_name="hidden",reason="not_allowed"} 1',
    'agentic_tools_rejections_total{tool_name="asks",reason="TOOL_APPROVAL_REJECTED"} 1',
    'agentic_tools_retries_total{tool_name="flaky",error_kind="transient"} 1',
    'agentic_tools_retries_exhausted_total{tool_name="flaky"} 1',
    'agentic_tools_repairs_total{tool_name="ok",mode="repaired"} 1',
    'agentic_tools_cached_total{tool_name="pure"} 1',
    'agentic_tools_waits_total{tool_name="later",kind="deferred"} 1',
    'agentic_tools_approvals_total{tool_name="asks",answer="approved"} 1',
    'agentic_tools_approvals_total{tool_name="asks",answer="denied"} 1',
    'agentic_tools_ledger_outcomes_total{outcome="completed"} 1',
    "agentic_tools_registered 7",
    "agentic_tools_in_flight 0",
    "agentic_tools_records_dropped_total 0",
    'agentic_tools_execution_duration_seconds_count{tool_name="ok"} 1',
  ])
    expect(got).toContain(line);
  readExposition(text);
});

test("runs, models and requests are counted where there is a telemetry", async () => {
  const tracer = telemetry({ prefix: "shop" });
  const usage = { inputTokens: 7, outputTokens: 3, reasoningTokens: 2 };
  const engine = { ...scriptedEngine([{ text: "hi", usage }]), name: "openai:gpt-5" };
  await new AgentLoop({ engine, tracer }).run("go").outcome;
  tracer.metrics.request({ method: "POST", route: "/api/v1/calls", status: 200, durationMs: 12 });
  const got = lines(tracer.metrics.text());
  for (const line of [
    'shop_runs_total{kind="loop",status="answered"} 1',
    "shop_runs_in_flight 0",
    'shop_model_requests_total{model="openai:gpt-5",finish="stop"} 1',
    'shop_model_tokens_total{model="openai:gpt-5",type="input"} 7',
    'shop_model_tokens_total{model="openai:gpt-5",type="output"} 3',
    'shop_model_tokens_total{model="openai:gpt-5",type="reasoning"} 2',
    'shop_server_requests_total{route="/api/v1/calls",method="POST",status="200"} 1',
    'shop_server_request_duration_seconds_bucket{route="/api/v1/calls",le="0.025"} 1',
    'shop_server_request_duration_seconds_bucket{route="/api/v1/calls",le="0.01"} 0',
  ])
    expect(got).toContain(line);
});

test("names that no tool has make no series, however many a model thinks of", async () => {
  const executor = new Executor({ tools: [ok] });
  const metrics = metricsOf(executor);
  for (let index = 0; index < 500; index++)
    await executor.call({ id: "c", name: `made_up_${index}\n"\\`, arguments: "{}" });
  const text = metrics.text();
  expect(text).not.toContain("made_up");
  expect(lines(text)).toContain('agentic_tools_executions_total{tool_name="(unknown)",status="error"} 500');
});

test("a metric has so many series and no more; what comes then is counted together", () => {
  const { metrics } = telemetry();
  for (let index = 0; index < 2_100; index++)
    metrics.request({ method: "GET", route: `/${index}`, status: 200, durationMs: 1 });
  const found = readExposition(metrics.text()).get("agentic_tools_server_requests_total")?.samples ?? [];
  expect(found).toHaveLength(2_001);
  expect(found.at(-1)).toMatchObject({ labels: { route: "(other)" }, value: 100 });
});

test("the same one has the same metrics, and counts once whoever else reads them", async () => {
  const events = new EventStream();
  const tracer = telemetry();
  const executor = new Executor({ tools: [ok], events, tracer });
  expect(metricsOf(executor)).toBe(tracer.metrics);
  expect(metricsOf(executor)).toBe(metricsOf(executor));
  await executor.call({ id: "c", name: "ok" });
  expect(lines(metricsOf(executor).text())).toContain(
    'agentic_tools_executions_total{tool_name="ok",status="success"} 1',
  );
  for (const wrong of [undefined, null, 5, {}])
    expect(() => metricsOf(wrong as never)).toThrow("must be a rig, an executor or a worker");
});

test("labels and help with quotes, backslashes and lines are written so that they are read as they were", () => {
  const strange = 'a "b" \\ c\nd';
  const text = metricsText([
    {
      name: "x_total",
      type: "counter",
      help: strange,
      samples: [{ labels: { tool_name: strange }, value: 1 }],
    },
    { name: "y", type: "gauge", help: "Y", samples: [{ labels: {}, value: Number.POSITIVE_INFINITY }] },
  ]);
  const read = readExposition(text);
  expect(read.get("x_total")?.samples[0]?.labels).toEqual({ tool_name: strange });
  expect(read.get("y")?.samples[0]?.value).toBe(Number.POSITIVE_INFINITY);
});

test.skipIf(!hasPromtool)("promtool takes the text", async () => {
  const tracer = telemetry();
  const executor = new Executor({ tools, allow, tracer, approve: async () => ({ approved: true }) });
  await busy(executor);
  await new AgentLoop({ engine: scriptedEngine(["hi"]), tracer }).run("go").outcome;
  const text = metricsOf(executor).text();
  const said = execFileSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" });
  expect(said).toBe("");
});
