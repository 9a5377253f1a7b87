/** The page, the dashboard and the alert rules name what is really exported: every name, and every label of it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentLoop, scriptedEngine } from "@toolrig/agent";
import { deferred, Executor, tool, transient } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";
import { metricsOf, telemetry } from "@toolrig/telemetry";
import { beforeAll, expect, test } from "vitest";
import { readExposition } from "../packages/telemetry/test/exposition.ts";
import { until } from "../scripts/until.ts";

const read = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");
const page = read("observability.md");
const fleetPage = read("operating-nats.md");
const alerts = read("observability/alerts.yml");
interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}
const { panels, templating } = JSON.parse(read("observability/grafana.json")) as {
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
};
const charts = panels.filter(({ type }) => type !== "row");
const promtool = process.env.PROMTOOL ?? "promtool";
const hasPromtool = spawnSync(promtool, ["--version"]).status === 0;

/** By name, with the labels that it comes with. */
const exported = new Map<string, Set<string>>();

/** One of everything that is counted. */
beforeAll(async () => {
  const input = { type: "object", properties: { n: { type: "number" } } } as const;
  const spec = { description: "Does it", input, safety: { sideEffects: "read", idempotent: true } } as const;
  const tracer = telemetry();
  let token = "";
  const executor = new Executor({
    tools: [
      tool({ ...spec, name: "pure", pure: true, execute: () => 1 }),
      tool({ ...spec, name: "hidden", execute: () => 1 }),
      tool({ ...spec, name: "flaky", retry: { backoff: 0 }, execute: () => transient("no") }),
      tool({ ...spec, name: "asks", approval: true, execute: () => 1 }),
      tool({
        ...spec,
        name: "slow",
        timeout: "10ms",
        execute: () => new Promise((resolve) => setTimeout(resolve, 30)),
      }),
      tool({
        name: "later",
        description: "Later",
        input,
        execute(_, context) {
          token = context.token;
          return deferred({ ref: 1 });
        },
      }),
    ],
    allow: ["pure", "flaky", "asks", "slow", "later"],
    approve: async () => ({ approved: false }),
    tracer,
  });
  for (const name of ["pure", "hidden", "flaky", "asks", "slow"])
    for (const runId of ["r", "r"]) await executor.call({ id: "c", name, arguments: "{n: '1'}" }, { runId });
  const { executionId } = await executor.call({ id: "c", name: "later" }, { onWaiting: "return" });
  await executor.waits.complete(executionId, token, 1);
  const engine = {
    ...scriptedEngine([{ text: "hi", usage: { inputTokens: 1, outputTokens: 1 } }]),
    name: "m",
  };
  await new AgentLoop({ engine, tracer }).run("go").outcome;
  tracer.metrics.request({ method: "GET", route: "/healthz", status: 200, durationMs: 1 });
  const worker = new NatsWorker({ nats: { servers: "nats://127.0.0.1:1" }, tools: [] });
  await until(() => metricsOf(executor).text().includes("late_results_total{"));
  for (const text of [metricsOf(executor).text(), metricsOf(worker).text()])
    for (const [name, { samples }] of readExposition(text)) {
      const labels = exported.get(name) ?? new Set(["instance"]);
      exported.set(name, labels);
      for (const sample of samples) for (const label of Object.keys(sample.labels)) labels.add(label);
    }
});

/** The metric of a name in a query, and of what Prometheus makes of a histogram. */
const metricOf = (name: string) => name.replace(/_(bucket|sum|count)$/, "");
const NAME = /\b(?:agentic_tools|process|nodejs)_[a-z_]+\b/g;

function problemsOf(query: string): string[] {
  const problems = [...query.matchAll(NAME)]
    .map(([name]) => metricOf(name))
    .filter((name) => !exported.has(name));
  for (const [, name = "", inner = ""] of query.matchAll(/\b([a-z_]+)\{([^}]*)\}/g))
    for (const [, label = ""] of inner.matchAll(/([a-z_]+)\s*[=!]/g))
      if (!exported.get(metricOf(name))?.has(label)) problems.push(`${name} has no label ${label}`);
  const names = [...query.matchAll(NAME)].map(([name]) => exported.get(metricOf(name)));
  for (const [, by = ""] of query.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of by.split(",").map((each) => each.trim()))
      if (!names.some((labels) => labels?.has(label)))
        problems.push(`nothing has the label ${label}: ${query}`);
  return problems;
}

test.each(charts.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr)] as const))(
  "the panel %s asks for what is there",
  (_, queries) => {
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.flatMap(problemsOf)).toEqual([]);
  },
);

test("so do the variables of the dashboard and the alert rules", () => {
  const asked = templating.list.map(({ query }) => (typeof query === "string" ? query : query.query));
  const rules = [...alerts.matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*))$/gm)].map(
    ([, block, line]) => block ?? line ?? "",
  );
  expect(rules.length).toBe([...alerts.matchAll(/- alert:/g)].length);
  expect([...asked, ...rules].flatMap(problemsOf)).toEqual([]);
});

test("what is exported is on the pages, with its labels, and nothing else", () => {
  const rows = [...page.matchAll(/^\| `(agentic_tools_[a-z_]+)` \| ([^|]*) \|/gm)];
  const told = new Map(rows.map(([, name = "", labels = ""]) => [name, labels.match(/\w+/g) ?? []]));
  for (const [name, labels] of exported) {
    const own = [...labels].filter((label) => label !== "le" && label !== "instance");
    if (told.has(name)) expect([name, told.get(name)]).toEqual([name, own]);
    else expect(page.includes(`\`${name}\``) || fleetPage.includes(`\`${name}\``), name).toBe(true);
  }
  for (const name of told.keys()) expect(exported.has(name), name).toBe(true);
});

test("what is exported for calls, runs and models is on the dashboard", () => {
  const asked = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
  const missing = [...exported.keys()].filter((name) => !asked.includes(name));
  expect(missing.filter((name) => page.includes(`| \`${name}\` |`))).toEqual([]);
});

test.skipIf(!hasPromtool)("promtool takes the alert rules", () => {
  const file = join(import.meta.dirname, "observability", "alerts.yml");
  const { status, stderr } = spawnSync(promtool, ["check", "rules", file], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
