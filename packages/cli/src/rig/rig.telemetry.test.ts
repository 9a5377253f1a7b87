import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { scriptedEngine } from "@toolrig/agent";
import { tool } from "@toolrig/core";
import { metricsOf, telemetry } from "@toolrig/telemetry";
import { afterAll, expect, test } from "vitest";
import { type PlainSpan, plainSpan, tracing } from "../../../telemetry/test/spans.ts";
import { type RigOptions, rig } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-telemetry-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const input = { type: "object" } as const;

test("a rig with telemetry shows its runs, and counts them; one without does neither", async () => {
  const { tracerProvider, tree } = tracing();
  const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
  const make = (more: RigOptions) =>
    rig({ tools: [ping], engine: scriptedEngine([{ calls: [{ name: "ping" }] }, "done"]), ...more });
  const shown = make({ telemetry: { tracerProvider, agent: "a" } });
  await shown.run("go").outcome;
  expect(tree()).toEqual(["invoke_agent a", "  chat scripted", "  execute_tool ping", "  chat scripted"]);
  expect(metricsOf(shown)).toBe(shown.telemetry?.metrics);
  expect(metricsOf(shown).text()).toContain('agentic_tools_runs_total{kind="loop",status="answered"} 1');
  const given = telemetry({ tracerProvider });
  expect(make({ telemetry: given }).telemetry).toBe(given);
  for (const off of [make({}), make({ telemetry: false })]) {
    await off.run("go").outcome;
    expect(off.telemetry).toBeUndefined();
  }
  expect(tree()).toHaveLength(4);
  expect(() => make({ telemetry: { trace: true } as never })).toThrow('Did you mean "traces"?');
  expect(() => make({ telemetry: "yes" as never })).toThrow("telemetry must be");
});

test("a run that was suspended in another process goes on in spans that are linked to those of then", async () => {
  const store = join(folder, "toolrig.db");
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import { scriptedEngine } from "@toolrig/agent";
    import { deferred, tool } from "@toolrig/core";
    import { rig } from ${url("./rig.ts")};
    import { plainSpan, tracing } from ${url("../../../telemetry/test/spans.ts")};
    const { tracerProvider, all } = tracing();
    let token;
    const input = { type: "object" };
    const deploy = tool({
      name: "deploy", description: "Deploys", input,
      execute(_, context) { token = context.token; return deferred({ ref: 1 }); },
    });
    const pay = tool({ name: "pay", description: "Pays", input, approval: true, execute: () => "paid" });
    const engine = scriptedEngine([{ calls: [{ name: "deploy" }, { name: "pay" }] }]);
    const { run, close } = rig({ tools: [deploy, pay], store: ${JSON.stringify(store)}, engine, telemetry: { tracerProvider } });
    const { status } = await run("go", { runId: "run_1", onWaiting: "suspend" }).outcome;
    await close();
    console.log(JSON.stringify({ status, token, spans: all().map(plainSpan) }));
  `;
  const args = ["--conditions=@toolrig/source", "--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const then = JSON.parse(stdout) as { status: string; token: string; spans: PlainSpan[] };
  expect(then.status).toBe("waiting");
  const first = (name: string) => then.spans.find((span) => span.name === name)?.spanId;
  expect(then.spans.map(({ name }) => name).sort()).toEqual(
    ["chat scripted", "execute_tool deploy", "execute_tool pay", "invoke_agent"].sort(),
  );

  const { tracerProvider, all, one } = tracing();
  const deploy = tool({ name: "deploy", description: "Deploys", input, execute: () => "never again" });
  const pay = tool({ name: "pay", description: "Pays", input, approval: true, execute: () => "paid" });
  const engine = scriptedEngine(["done"]);
  const second = rig({ tools: [deploy, pay], store, engine, telemetry: { tracerProvider } });
  const waits = await second.waits.list({ open: true });
  for (const { executionId, kind } of waits) {
    if (kind === "deferred") await second.complete(executionId, then.token, "live");
    else await second.approvals?.approve(executionId, { by: { id: "ann" } });
  }
  const deployed = plainSpan(one("execute_tool deploy"));
  expect(deployed).toMatchObject({
    links: [first("execute_tool deploy")],
    parentSpanId: first("execute_tool deploy"),
  });
  const { status } = await second.resume("run_1").outcome;
  await second.close();
  expect(status).toBe("answered");
  const run = plainSpan(one("invoke_agent"));
  expect(run.links).toEqual([first("invoke_agent")]);
  const paid = plainSpan(one("execute_tool pay"));
  expect([paid.parentSpanId, paid.attributes["error.type"]]).toEqual([run.spanId, undefined]);
  expect(all().filter(({ name }) => name === "chat scripted")).toHaveLength(1);
});

test("what comes over HTTP goes on with the trace of whoever sent it, and is counted", async () => {
  const { tracerProvider, one } = tracing();
  const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
  const engine = scriptedEngine(["done"]);
  const own = rig({ tools: [ping], engine, telemetry: { tracerProvider } });
  const served = await own.serve({ port: 0, console: false });
  const send = (path: string, body: object, traceparent: string) =>
    fetch(`${served.url}/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent },
      body: JSON.stringify(body),
    });
  const trace = "0af7651916cd43dd8448eb211c80319c";
  await send("/calls", { name: "ping" }, `00-${trace}-b7ad6b7169203331-01`);
  await send("/calls", { name: "ping" }, "nonsense, which is nobody's reason to refuse");
  await send("/runs", { input: "go" }, `00-${trace}-b7ad6b7169203332-01`);
  await expect.poll(() => one("invoke_agent").parentSpanContext?.spanId).toBe("b7ad6b7169203332");
  const text = await (await fetch(`${served.url}/metrics`)).text();
  for (const line of [
    'agentic_tools_executions_total{tool_name="ping",status="success"} 2',
    'agentic_tools_server_requests_total{route="/api/v1/calls",method="POST",status="200"} 2',
    'agentic_tools_server_requests_total{route="/api/v1/runs",method="POST",status="201"} 1',
    'agentic_tools_runs_total{kind="loop",status="answered"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  await served.close();
  await own.close();
});
