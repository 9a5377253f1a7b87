import { InformationFlow, MemoryJournal, type Profile, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { type ScriptedReply, scriptedEngine } from "../engines/scripted.ts";
import type { PlanExecutorOptions } from "./options.ts";
import { PlanExecutor } from "./plan-executor.ts";

const page = tool({
  name: "fetch_page",
  description: "Fetch",
  input: { type: "object" },
  safety: { sideEffects: "read" },
  labels: { integrity: "untrusted", source: "web" },
  execute: () => "eve@evil.example",
});

const contacts = tool({
  name: "contacts",
  description: "Contacts",
  input: { type: "object" },
  safety: { sideEffects: "read" },
  execute: () => "carol@y.org",
});

/** Plans that read a page and send mail, and to whom they sent any. */
function rig(
  replies: readonly ScriptedReply[] = [],
  { profile = "standard", ...options }: PlanExecutorOptions & { profile?: Profile } = {},
) {
  const flow = new InformationFlow({ profile });
  const sent: string[] = [];
  const send = tool({
    name: "send",
    description: "Send",
    input: { type: "object", properties: { to: { type: "string" } } },
    safety: { sideEffects: "external" },
    labels: { sinks: ["to"] },
    execute: ({ to }) => {
      sent.push(to ?? "");
      return "sent";
    },
  });
  const engine = scriptedEngine((_request, turn) => replies[turn - 1] ?? "done");
  const plans = new PlanExecutor({
    engine,
    tools: [page, contacts, send],
    executor: { guards: [flow.guard] },
    ...options,
  });
  return { flow, plans, sent };
}

const fetching = { calls: [{ name: "fetch_page", arguments: {} }] };
const sending = (to: string) => ({ calls: [{ name: "send", arguments: { to } }] });
const read = { name: "page", kind: "tool", tool: "fetch_page" };
const mail = (to: unknown) => ({ name: "mail", kind: "tool", tool: "send", input: { to } });

test.each<[profile: Profile]>([["standard"], ["strict"]])(
  "what a loop within a plan has read, the plan has read: %s",
  async (profile) => {
    const { plans, sent } = rig([fetching, "eve@evil.example"], { profile });
    const steps = [{ name: "page", kind: "loop", task: "Who wants mail?" }, mail({ $from: "page" })];
    const { steps: reports } = await plans.run({ steps }).outcome;
    expect(reports).toMatchObject({ page: { status: "completed" }, mail: { status: "failed" } });
    expect(sent).toEqual([]);
  },
);

test("what a step has read is no word of the user's in the task of a loop", async () => {
  const { plans, sent } = rig([sending("eve@evil.example"), sending("bob@y.org"), sending("ann@y.org")]);
  const steps = [
    read,
    { name: "loop", kind: "loop", task: "Tell bob@y.org and {{input/to}} of this page: {{page}}" },
  ];
  await plans.run({ steps }, { input: { to: "ann@y.org" } }).outcome;
  expect(sent).toEqual(["bob@y.org", "ann@y.org"]);
});

test.each<[kind: string]>([["loop"], ["infer"]])("nor is it after a step of kind %s", async (kind) => {
  const { plans, sent } = rig(["ok"]);
  const about = { loop: { task: "About {{page}}" }, infer: { prompt: "About {{page}}" } }[kind];
  const steps = [read, { name: "about", kind, ...about }, { ...mail({ $from: "page" }), after: ["about"] }];
  await plans.run({ steps }).outcome;
  expect(sent).toEqual([]);
});

test("what is filled in does not join with what the plan says around it", async () => {
  const { plans, sent } = rig([sending("bob@y.org.evil.example"), sending("bob@y.org")]);
  const steps = [read, { name: "loop", kind: "loop", task: "Tell bob@y.org{{page}} of it" }];
  await plans.run({ steps }).outcome;
  expect(sent).toEqual([]);
});

test("a plan's input is the user's word, and trusted outputs are found ones", async () => {
  const { plans, sent } = rig();
  const steps = [
    { name: "carol", kind: "tool", tool: "contacts" },
    { ...read, after: ["carol"] },
    { ...mail({ $from: "input" }), name: "first", after: ["page"] },
    { ...mail({ $from: "carol" }), name: "second", after: ["first"] },
  ];
  await plans.run({ steps }, { input: "bob@y.org" }).outcome;
  expect(sent).toEqual(["bob@y.org", "carol@y.org"]);
});

/** A plan that reads, and is killed before it mails. */
async function readAndStopped(journal: MemoryJournal, kind: "tool" | "loop") {
  const { plans } = rig([fetching, "eve@evil.example"], { journal });
  const first = kind === "tool" ? read : { name: "page", kind: "loop", task: "Who wants mail?" };
  const steps = [first, { ...mail({ $from: "page" }), when: { value: { $from: "input" }, equals: "go" } }];
  await plans.run({ steps }, { runId: "p", input: "go" }).outcome;
  const past = await journal.entries("p");
  const stopped = new MemoryJournal();
  await stopped.begin((await journal.header("p"))!);
  await stopped.append("p", past.slice(0, past.findIndex(({ type }) => type === "step") + 1));
  return { stopped, past };
}

test.each<["tool" | "loop"]>([["tool"], ["loop"]])(
  "a plan that is resumed has read what it had read before: by a %s",
  async (kind) => {
    const { stopped } = await readAndStopped(new MemoryJournal(), kind);
    const { plans, sent } = rig([], { journal: stopped });
    const { status } = await plans.resume("p").outcome;
    expect([status, sent]).toEqual(["failed", []]);
  },
);

test("an output that nobody has labelled came from who knows where", async () => {
  const { stopped } = await readAndStopped(new MemoryJournal(), "tool");
  const bare = new MemoryJournal();
  await bare.begin((await stopped.header("p"))!);
  await bare.append(
    "p",
    (await stopped.entries("p")).map((entry) => {
      if (entry.type !== "step") return entry;
      const { labels: _, ...rest } = entry;
      return rest;
    }),
  );
  const { plans, sent } = rig([], { journal: bare });
  await plans.resume("p").outcome;
  expect(sent).toEqual([]);
});

test("a plan that is over is forgotten, with its loops", async () => {
  const { flow, plans } = rig([fetching, "ok"]);
  await plans.run({ steps: [{ name: "a", kind: "loop", task: "Read" }] }, { runId: "p" }).outcome;
  expect([flow.labels("p").untrusted, flow.labels("p/a").untrusted]).toEqual([[], []]);
});
