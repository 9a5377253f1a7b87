/**
 * A plan that the model writes, and a script for many calls.
 *
 *     npm run example research
 *
 * The model is scripted; a real one is `aiSdkEngine(openai("gpt-5"))`. It writes a plan, which is checked before anything runs; one
 * step of it is an agent that reads all reports in one script, so that the model sees the numbers and not the pages. You see:
 *
 *     plan      nothing is wrong with it
 *     find      search_reports
 *     compare   read_report
 *     compare   read_report
 *     compare   read_report
 *     compare   run_code
 *     North grew fastest: 40 percent in a year.
 *
 *     The reports have … characters; the model was sent ….
 */
import { PlanExecutor, planSchema, rig, StructuredLoop, scriptedEngine, tool } from "toolrig";
import { z } from "zod";

const page = (region: string, before: number, now: number) =>
  `${region}: ${before} -> ${now}\n${"Everything else that a report has. ".repeat(500)}`;
const reports = [page("North", 100, 140), page("South", 200, 210), page("West", 80, 96)];

const tools = [
  tool({
    name: "search_reports",
    description: "Find reports",
    input: z.object({ query: z.string() }),
    output: z.object({ ids: z.array(z.number()) }),
    safety: { sideEffects: "read", idempotent: true },
    execute: () => ({ ids: [...reports.keys()] }),
  }),
  tool({
    name: "read_report",
    description: "Read a report",
    input: z.object({ id: z.number().int() }),
    output: z.string(),
    safety: { sideEffects: "read", idempotent: true },
    execute: ({ id }) => reports[id] ?? "",
  }),
];

const plan = {
  steps: [
    {
      name: "find",
      kind: "tool",
      tool: "search_reports",
      input: { query: { $from: "input", path: "/topic" } },
    },
    {
      name: "compare",
      kind: "loop",
      task: "By how much did each region grow? The reports are {{find/ids}}.",
      tools: ["run_code"],
    },
    { name: "conclude", kind: "infer", prompt: "Which one grew fastest?\n{{compare}}" },
  ],
  output: { $from: "conclude" },
};
const script = `
  const texts = await Promise.all([0, 1, 2].map((id) => tools.read_report({ id })));
  return texts.map((text) => {
    const [, region, before, now] = /^(\\w+): (\\d+) -> (\\d+)/.exec(text);
    return [region, Math.round((now / before - 1) * 100)];
  });
`;
const replies = [
  JSON.stringify(plan),
  { calls: [{ name: "run_code", arguments: { code: script } }] },
  "North 40, South 5, West 20 percent.",
  "North grew fastest: 40 percent in a year.",
];
let sent = 0; // characters of messages, once the plan is written
const engine = scriptedEngine(({ messages }, turn) => {
  if (turn > 1) sent += JSON.stringify(messages).length;
  return replies[turn - 1] ?? "";
});

const desk = rig({ tools, engine, code: true });

const system = `Write a plan that uses these tools: ${JSON.stringify(desk.registry.definitions())}`;
const writer = new StructuredLoop({ engine, system, schema: planSchema });
const written = await writer.run("Which region grew fastest? The plan is given a topic.").outcome;
if (written.status !== "answered") throw new Error(written.status);

const planner = new PlanExecutor({ tools: desk.tools, executor: desk.executor, engine });
const wrong = planner.check(written.value);
console.log("plan     ", wrong.length === 0 ? "nothing is wrong with it" : wrong);

const run = planner.run(written.value, { input: { topic: "growth by region" } });
for await (const event of run) {
  if (event.type === "call.end") console.log(event.stepName?.padEnd(9), event.name);
}
console.log((await run.outcome).output);
console.log(`\nThe reports have ${reports.join("").length} characters; the model was sent ${sent}.`);
await desk.close();
