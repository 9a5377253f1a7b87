import { type Guard, MemoryJournal, MemoryLedger, type Principal, tool } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import type { EngineRequest } from "../model/engine.ts";
import { ModelFault } from "../model/faults.ts";
import type { Message } from "../model/message.ts";
import { transcriptProblems } from "../model/transcript.ts";
import { AgentLoop } from "./loop.ts";
import type { AgentLoopOptions } from "./options.ts";

/** A tool with side effects that counts its runs. */
function sender(sent: string[]) {
  return tool({
    name: "send",
    description: "Send a letter",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    execute({ to }) {
      sent.push(to);
      return `sent to ${to}`;
    },
  });
}

const send = (to: string, id = to) => ({ id, name: "send", arguments: { to } });

class Crash extends Error {}

/** A journal whose process dies when it is asked to append the entries that `at` picks out: nothing is written after. */
class MortalJournal extends MemoryJournal {
  at: ((entries: readonly JournalEntry[]) => boolean) | undefined;
  #dead = false;

  override append(runId: string, entries: readonly JournalEntry[], expected?: number): void {
    this.#dead ||= this.at?.(entries) === true;
    if (this.#dead) throw new Crash("the process died here");
    super.append(runId, entries, expected);
  }

  revive(): void {
    this.at = undefined;
    this.#dead = false;
  }
}

const script = [
  { text: "I write.", calls: [send("ann"), send("bob")] },
  { calls: [send("cy")] },
  "all sent",
] as const;

test.each([1, 2])(
  "a run that died before the results of turn %i were written does not repeat a side effect",
  async (turn) => {
    const sent: string[] = [];
    const journal = new MortalJournal();
    const ledger = new MemoryLedger();
    const options: Omit<AgentLoopOptions, "engine"> = {
      tools: [sender(sent)],
      journal,
      executor: { ledger },
    };
    journal.at = ([entry]) => entry?.type === "result" && entry.turn === turn;
    const died = await new AgentLoop({ ...options, engine: scriptedEngine(script) }).run("write", {
      runId: "r",
    }).outcome;
    expect(died.status).toBe("failed");
    journal.revive();
    const engine = scriptedEngine(script.slice(turn));
    const run = new AgentLoop({ ...options, engine }).resume("r");
    const told: string[] = [];
    for await (const event of run) told.push(event.type);
    expect(told.slice(0, 3)).toEqual(["run.start", "turn.start", "call.start"]);
    const count = (type: string) => told.filter((each) => each === type).length;
    expect(count("turn.start")).toBe(count("turn.end"));
    const resumed = await run.outcome;
    expect(resumed).toMatchObject({ status: "answered", text: "all sent", runId: "r", calls: 3, turns: 3 });
    expect(sent).toEqual(["ann", "bob", "cy"]);
    expect(transcriptProblems(resumed.messages)).toEqual([]);
  },
);

/** A run that has failed after its first letter, and the principals on whose behalf letters were sent. */
async function failedFor(principal: Principal | undefined) {
  const seen: unknown[] = [];
  const journal = new MemoryJournal();
  const guard: Guard = { name: "watch", before: ({ principal: who }) => void seen.push(who) };
  const options = { tools: [sender([])], journal, executor: { guards: [guard] } };
  const broken = scriptedEngine([{ calls: [send("ann")] }]);
  const said = principal === undefined ? {} : { principal };
  await new AgentLoop({ ...options, engine: broken }).run("write", { runId: "r", ...said }).outcome;
  const again = () =>
    new AgentLoop({ ...options, engine: scriptedEngine([{ calls: [send("cy")] }, "sent"]) });
  return { seen, journal, again };
}

test("a run that is continued or forked is for whom it was", async () => {
  const bob = { id: "bob", roles: ["clerk"] };
  const { seen, journal, again } = await failedFor(bob);
  await again().fork("r", 1, { input: "once more", runId: "f" }).outcome;
  await again().resume("r").outcome;
  expect(seen).toEqual([bob, bob, bob]);
  expect(journal.header("f")?.principal).toEqual(bob);
  expect(journal.entries("r").some(({ type }) => type === "principal")).toBe(false);
});

test.each([{ id: "bob" }, undefined])(
  "a run of %j that is continued for somebody else stays theirs, and its journal says so",
  async (first) => {
    const { seen, journal, again } = await failedFor(first);
    const eve = { id: "eve" };
    const stop = AbortSignal.abort();
    await again().resume("r", { principal: eve, signal: stop }).outcome;
    await again().resume("r").outcome;
    expect(seen).toEqual([first, eve]);
    const told = journal.entries("r").filter(({ type }) => type === "principal");
    expect(told).toEqual([{ type: "principal", principal: eve }]);
  },
);

test("a run that dies at any point of its journal comes to the same end, with nothing done twice", async () => {
  const reply = ({ messages }: EngineRequest) =>
    script[messages.filter((message) => message.role === "assistant").length]!;
  const shapeOf = (messages: readonly Message[]) =>
    messages.map((message) =>
      message.role === "tool" ? message.results.map(({ content }) => content) : message,
    );
  const live = async (dieAt: number) => {
    const sent: string[] = [];
    const journal = new MortalJournal();
    let appends = 0;
    journal.at = () => ++appends === dieAt;
    const options = { tools: [sender(sent)], journal, executor: { ledger: new MemoryLedger() } };
    const first = await new AgentLoop({ ...options, engine: scriptedEngine(reply) }).run("write", {
      runId: "r",
    }).outcome;
    journal.revive();
    const { status, messages } =
      appends < dieAt
        ? first
        : await new AgentLoop({ ...options, engine: scriptedEngine(reply) }).resume("r").outcome;
    expect(transcriptProblems(messages)).toEqual([]);
    return { appends, status, sent, shape: shapeOf(messages) };
  };
  const { appends, ...undisturbed } = await live(Number.POSITIVE_INFINITY);
  expect(appends).toBeGreaterThan(5);
  for (let dieAt = 1; dieAt <= appends; dieAt++) expect(await live(dieAt)).toMatchObject(undisturbed);
});

test("of two that continue a run at once, one goes on and the other is told so", async () => {
  const sent: string[] = [];
  const journal = new MemoryJournal();
  const options = { tools: [sender(sent)], journal, retry: { attempts: 1 } };
  const failing = scriptedEngine([{ error: new ModelFault("authentication", "no key") }]);
  await new AgentLoop({ ...options, engine: failing }).run("write", { runId: "r" }).outcome;
  const both = await Promise.all(
    [1, 2].map(() => new AgentLoop({ ...options, engine: scriptedEngine(script) }).resume("r").outcome),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["answered", "failed"]);
  const failed = both.find(({ status }) => status === "failed")!;
  expect(failed).toMatchObject({
    error: { code: "STORE_FAILED", message: expect.stringContaining("continued elsewhere") },
  });
  expect(sent).toEqual(["ann", "bob", "cy"]);
});

test("calls are written down before they run, and those that cannot be do not run", async () => {
  const sent: string[] = [];
  const journal = new MortalJournal();
  journal.at = (entries) => entries.some((entry) => entry.type === "calls");
  const engine = scriptedEngine([{ calls: [send("ann")] }]);
  const outcome = await new AgentLoop({ engine, tools: [sender(sent)], journal }).run("write").outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { code: "STORE_FAILED" } });
  expect(sent).toEqual([]);
  expect(transcriptProblems(outcome.messages)).toEqual([]);
});

test("a run that failed because of the model goes on where it was", async () => {
  const sent: string[] = [];
  const journal = new MemoryJournal();
  const tools = [sender(sent)];
  const retry = { attempts: 1 };
  const failing = scriptedEngine([
    { calls: [send("ann")] },
    { error: new ModelFault("authentication", "no key") },
  ]);
  const failed = await new AgentLoop({ engine: failing, tools, journal, retry }).run("write", { runId: "r" })
    .outcome;
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "ENGINE_FAILED", fault: "authentication" },
  });
  const resumed = await new AgentLoop({ engine: scriptedEngine(["done"]), tools, journal }).resume("r")
    .outcome;
  expect(resumed).toMatchObject({ status: "answered", text: "done" });
  expect(sent).toEqual(["ann"]);
  expect(resumed.messages).toHaveLength(4);
});

test("a run that was answered is not continued", async () => {
  const journal = new MemoryJournal();
  await new AgentLoop({ engine: scriptedEngine(["done"]), journal }).run("go", { runId: "r" }).outcome;
  const again = await new AgentLoop({ engine: scriptedEngine([]), journal }).resume("r").outcome;
  expect(again).toMatchObject({ status: "answered", text: "done", turns: 1 });
  expect(again.messages).toHaveLength(2);
});

test("limits count what was done before", async () => {
  const journal = new MemoryJournal();
  const tools = [sender([])];
  const engine = () =>
    scriptedEngine((_request, turn) => ({ calls: [send(String(Math.random()), `c${turn}`)] }));
  const first = new AgentLoop({ engine: engine(), tools, journal, maxToolIterations: 3 });
  await first.run("go", { runId: "r" }).outcome;
  const { turns, status } = await new AgentLoop({
    engine: engine(),
    tools,
    journal,
    maxToolIterations: 5,
  }).resume("r").outcome;
  expect([status, turns]).toEqual(["failed", 6]);
});

test("a fork shares the past and leaves the other run alone", async () => {
  const sent: string[] = [];
  const journal = new MemoryJournal();
  const tools = [sender(sent)];
  await new AgentLoop({ engine: scriptedEngine(script), tools, journal }).run("write", { runId: "r" })
    .outcome;
  const before = JSON.stringify(journal.entries("r"));
  const loop = new AgentLoop({ engine: scriptedEngine(["forked"]), tools, journal });
  const forked = await loop.fork("r", 1, { runId: "f", input: "no more" }).outcome;
  expect(forked.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
  ]);
  expect(forked.text).toBe("forked");
  expect(journal.header("f")?.forkedFrom).toEqual({ runId: "r", turn: 1 });
  expect(JSON.stringify(journal.entries("r"))).toBe(before);
  expect(sent).toEqual(["ann", "bob", "cy"]);
  const resumed = await new AgentLoop({ engine: scriptedEngine([]), tools, journal }).resume("f").outcome;
  expect(resumed.messages).toEqual(forked.messages);
});

test("the journal is plain JSON and enough to rebuild the transcript", async () => {
  const journal = new MemoryJournal();
  const odd = tool({
    name: "odd",
    description: "Returns what JSON cannot hold",
    input: { type: "object" },
    execute: () => ({ big: 1n, when: new Date(0) }),
  });
  const engine = scriptedEngine([{ calls: [{ name: "odd" }] }, "done"]);
  const { messages } = await new AgentLoop({ engine, tools: [odd], journal }).run("go", { runId: "r" })
    .outcome;
  const entries = JSON.parse(JSON.stringify(journal.entries("r"))) as JournalEntry[];
  expect(entries.map((entry) => entry.type)).toEqual([
    "message",
    "message",
    "calls",
    "result",
    "message",
    "end",
  ]);
  const copy = new MemoryJournal();
  copy.begin({ runId: "r", kind: "loop", startedAt: 0, input: "go" });
  copy.append("r", entries);
  const rebuilt = await new AgentLoop({ engine: scriptedEngine([]), tools: [odd], journal: copy }).resume("r")
    .outcome;
  expect(rebuilt.messages).toEqual(messages);
});

test("a run that is not in the journal fails to resume, and so does one without a journal", async () => {
  const loop = new AgentLoop({ engine: scriptedEngine([]), journal: new MemoryJournal() });
  expect(await loop.resume("nobody").outcome).toMatchObject({
    status: "failed",
    error: { message: /not in the journal/ },
  });
  expect(() => new AgentLoop({ engine: scriptedEngine([]) }).resume("r")).toThrow("journal");
});
