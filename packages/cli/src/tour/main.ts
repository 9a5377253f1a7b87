/** `npm run tour`: six stops that show what happens to a call. Everything drawn is an event of a real executor. */
import type { CallEvent, Guard } from "@toolrig/core";
import { rig } from "../rig/rig.ts";
import { drawTrees } from "../terminal/event-tree.ts";
import { paint, printStyled } from "../terminal/output.ts";
import { surviveBrokenPipes } from "../terminal/streams.ts";
import { steps } from "./steps.ts";
import * as tools from "./tools.ts";

const protectMain: Guard = {
  name: "protect-main",
  before: ({ tool, args }) =>
    tool.name === "delete_branch" && (args as { branch: string }).branch === "main"
      ? { verdict: "deny", reason: "the main branch is protected" }
      : undefined,
};

surviveBrokenPipes();
const toured = rig({ tools: Object.values(tools), guards: [protectMain] });
let events: CallEvent[] = [];
toured.events.on((event) => events.push(event));

printStyled([paint("Toolrig: what happens between a model's call and its result", "strong"), ""]);
for (const [index, { title, lead, run }] of steps.entries()) {
  events = [];
  await run(toured);
  const trees = drawTrees(events).map((line) => `   ${line}`);
  printStyled([paint(`${index + 1}. ${title}`, "strong"), `   ${lead}`, "", ...trees, ""]);
}

const { calls, succeeded, failed, retries, repaired, late } = toured.executor.health();
printStyled([
  `${calls} calls, ${succeeded + failed} results: ${succeeded} succeeded, ${failed} failed; ` +
    `${retries} retries, ${repaired} repaired, ${late} late.`,
  "Next: docs/cli.md, and a toolrig.config.ts of your own.",
]);
await toured.close();
