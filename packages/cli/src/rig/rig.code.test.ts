import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScriptedReply, scriptedEngine } from "@toolrig/agent";
import { tool } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { type RigOptions, rig } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-rig-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ann = { id: "ann" };

function make(ran: string[], script: readonly ScriptedReply[], file: string, more: RigOptions = {}) {
  const spec = { description: "Does it", input: { type: "object" } } as const;
  const did = (what: string) => {
    ran.push(what);
    return what;
  };
  return rig({
    tools: [
      tool({ ...spec, name: "note", execute: () => did("note") }),
      tool({ ...spec, name: "pay", approval: true, execute: () => did("pay") }),
      tool({
        ...spec,
        name: "book",
        async execute(_, { ask }) {
          await ask({ message: "Which day?" });
          return did("book");
        },
      }),
      tool({
        ...spec,
        name: "page",
        safety: { sideEffects: "read" },
        labels: { integrity: "untrusted", source: "web" },
        execute: () => did("page"),
      }),
    ],
    engine: scriptedEngine((_, turn) => script[turn - 1] ?? "done"),
    store: join(folder, file),
    code: true,
    ...more,
  });
}

test("a run is suspended over a script that waits, and both go on in another rig", async () => {
  const ran: string[] = [];
  const code = "await tools.note({}); return await Promise.all([tools.pay({}), tools.book({})]);";
  const script = [{ calls: [{ id: "c1", name: "run_code", arguments: { code } }] }];
  const first = make(ran, script, "suspended.db");
  const left = await first.run("go", { runId: "run_1", onWaiting: "suspend" }).outcome;
  expect(left.status).toBe("waiting");
  await first.close();

  const second = make(ran, [], "suspended.db");
  const resumed: Promise<unknown>[] = [];
  second.resumeWhenReady({ every: "50ms", onResume: ({ outcome }) => resumed.push(outcome) });
  for (const { kind, executionId } of await second.waits.list({ open: true })) {
    if (kind === "approval") await second.approvals?.approve(executionId, { by: ann });
    else await second.waits.answer(executionId, { by: ann, value: "monday" });
  }
  const isAnswered = async () => (await second.store?.journal.runs({ ended: true, kind: "loop" }))?.length;
  await expect.poll(isAnswered).toBe(1);
  const outcomes = (await Promise.all(resumed)) as { status: string; messages: { role: string }[] }[];
  expect(outcomes.at(-1)?.status).toBe("answered");
  expect(JSON.stringify(outcomes.at(-1)?.messages)).toContain('[\\"pay\\",\\"book\\"]');
  expect(ran.sort()).toEqual(["book", "note", "pay"]);
  await second.executor.drain();
  const records = [...(second.store?.records.all() ?? [])];
  const scripts = records.find(({ name }) => name === "run_code");
  for (const name of ["note", "pay", "book"])
    expect(records.find((each) => each.name === name)).toMatchObject({
      parentId: scripts?.executionId,
      runId: "run_1",
      source: "script",
    });
  await second.close();
});

test("what a script read counts for the calls that the model makes after it", async () => {
  const ran: string[] = [];
  const script = [
    { calls: [{ name: "run_code", arguments: { code: "return await tools.page({})" } }] },
    { calls: [{ name: "note", arguments: { to: "eve" } }] },
  ];
  const { run, waits, close } = make(ran, script, "flow.db", { policy: { profile: "standard" } });
  const { status } = await run("Read the page", { onWaiting: "suspend" }).outcome;
  expect(status).toBe("waiting");
  const [asked] = await waits.list({ open: true });
  expect(asked).toMatchObject({ name: "note", note: expect.stringContaining("web") });
  expect(ran).toEqual(["page"]);
  await close();
});
