import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedEngine } from "@toolrig/agent";
import { deferred, tool } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { rig } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-rig-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ann = { id: "ann" };
const RUNS = 10;

test("suspended runs are resumed once each, by whichever of several rigs on one file", async () => {
  const did: string[] = [];
  const spec = { description: "Does it", input: { type: "object" } } as const;
  const tools = [
    tool({ ...spec, name: "pay", approval: true, execute: (_, { runId }) => did.push(`paid ${runId}`) }),
    tool({
      ...spec,
      name: "book",
      async execute(_, { ask, runId }) {
        await ask({ message: "Which day?" });
        return did.push(`booked ${runId}`);
      },
    }),
    tool({
      ...spec,
      name: "deploy",
      execute: (_, { runId }) => did.push(`deploying ${runId}`) && deferred(),
    }),
  ];
  const calls = tools.map(({ name }) => ({ id: name, name }));
  const start = () =>
    rig({
      tools,
      store: join(folder, "runs.db"),
      engine: scriptedEngine(({ messages }) =>
        messages.some(({ role }) => role === "tool") ? "done" : { calls },
      ),
    });
  const rigs = [start(), start(), start()] as const;
  const [first] = rigs;
  const resumed: string[] = [];
  for (const each of rigs.slice(1))
    each.resumeWhenReady({
      every: "20ms",
      onResume: async ({ runId, outcome }) => resumed.push(`${runId} ${(await outcome).status}`),
    });
  for (let index = 0; index < RUNS; index++) {
    const { status } = await first.run("go", { runId: `r${index}`, onWaiting: "suspend" }).outcome;
    expect(status).toBe("waiting");
  }
  const waits = await first.waits.list({ open: true });
  expect(waits).toHaveLength(3 * RUNS);
  await Promise.all(
    waits.map(async ({ kind, executionId }, index) => {
      const each = rigs[index % rigs.length] ?? first;
      if (kind === "approval") await each.approvals?.approve(executionId, { by: ann });
      else if (kind === "question") await each.waits.answer(executionId, { by: ann, value: "monday" });
      else await each.complete(executionId, { by: ann }, "live");
    }),
  );
  await expect.poll(() => resumed.length).toBeGreaterThanOrEqual(RUNS);
  await Promise.all(rigs.map(({ close }) => close()));
  expect(resumed.sort()).toEqual(Array.from({ length: RUNS }, (_, index) => `r${index} answered`));
  expect(new Set(did).size).toBe(did.length);
  expect(did).toHaveLength(3 * RUNS);
});
