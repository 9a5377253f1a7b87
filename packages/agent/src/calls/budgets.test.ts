import { MemoryJournal, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { type ScriptedReply, scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions } from "../loop/options.ts";

const spec = { description: "d", input: { type: "object" }, safety: { sideEffects: "read" } } as const;

function rig(script: (turn: number) => ScriptedReply, options: Partial<AgentLoopOptions> = {}) {
  const counts = { ran: 0, asked: 0 };
  const offered: number[] = [];
  const execute = () => {
    counts.ran += 1;
    return "bytes";
  };
  const tools = [
    tool({ ...spec, name: "read", execute }),
    tool({ ...spec, name: "remember", pure: true, execute }),
  ];
  const engine = scriptedEngine((request) => {
    counts.asked += 1;
    offered.push(request.tools.length);
    return script(counts.asked);
  });
  const retry = { attempts: 3, backoff: 0 };
  const loop = new AgentLoop({ engine, tools, repeats: false, retry, ...options });
  return { counts, offered, loop };
}

const calls = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const usage = (tokens: number) => ({ inputTokens: tokens, outputTokens: 0 });

test("a stubborn model has one turn without tools once its calls are used up, and then the run ends", async () => {
  const { counts, offered, loop } = rig(() => calls("read"), { budgets: { calls: 2 } });
  const outcome = await loop.run("go").outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { code: "ORCHESTRATION_BUDGET_EXCEEDED" } });
  expect(counts).toEqual({ ran: 2, asked: 4 });
  expect(offered).toEqual([2, 2, 2, 0]);
  expect(JSON.stringify(outcome.messages.at(-1))).toContain("TOOL_BUDGET_EXCEEDED");
});

test("a model that concludes in its last turn has answered", async () => {
  const { loop } = rig((turn) => (turn < 3 ? calls("read", "read") : "What I have."), {
    budgets: { calls: 2 },
  });
  expect(await loop.run("go").outcome).toMatchObject({ status: "answered", text: "What I have." });
});

test("calls that do not run leave the budget to those that do", async () => {
  const { counts, loop } = rig((turn) => (turn === 1 ? calls("other", "other", "read", "read") : "done"), {
    budgets: { calls: 2 },
    hooks: { prepareTurn: () => ({ tools: ["read"] }) },
  });
  await loop.run("go").outcome;
  expect(counts.ran).toBe(2);
});

test("answers from memory cost no budget and are no repeats, also after a resume", async () => {
  const journal = new MemoryJournal();
  const { counts, loop } = rig(
    (turn) => (turn === 4 ? { error: new Error("gone") } : turn < 8 ? calls("remember") : "done"),
    { budgets: { calls: 3 }, repeats: {}, journal },
  );
  const first = await loop.run("go").outcome;
  expect(first.status).toBe("failed");
  const outcome = await loop.resume(first.runId).outcome;
  expect(outcome).toMatchObject({ status: "answered", text: "done" });
  // Twice: what was remembered is forgotten with the run that failed.
  expect(counts.ran).toBe(2);
  expect(JSON.stringify(outcome.messages)).not.toMatch(/advice|TOOL_REPEATED|TOOL_BUDGET/);
});

test("tokens of responses that failed count, and are in the journal", async () => {
  const journal = new MemoryJournal();
  const { loop } = rig(
    (turn) => (turn < 3 ? { text: "", usage: usage(1_000) } : { text: "ok", usage: usage(5) }),
    { journal },
  );
  const outcome = await loop.run("go").outcome;
  expect(outcome).toMatchObject({ status: "answered", usage: { inputTokens: 2_005 } });
  expect((await loop.resume(outcome.runId).outcome).usage.inputTokens).toBe(2_005);
});

test("a model whose failed responses have used up the tokens is not asked again", async () => {
  const { counts, loop } = rig(() => ({ text: "", usage: usage(100) }), { budgets: { tokens: 150 } });
  const outcome = await loop.run("go").outcome;
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "ORCHESTRATION_BUDGET_EXCEEDED" },
    usage: { inputTokens: 200 },
  });
  expect(counts.asked).toBe(2);
});

test("used-up tokens end a run that makes no calls", async () => {
  const { counts, loop } = rig(() => ({ text: "an answer", usage: usage(100) }), {
    budgets: { tokens: 150 },
    hooks: { onAnswer: () => "And more?" },
  });
  const outcome = await loop.run("go").outcome;
  expect(outcome).toMatchObject({ status: "failed", text: "an answer" });
  expect(outcome).toMatchObject({ error: { code: "ORCHESTRATION_BUDGET_EXCEEDED" } });
  expect(counts.asked).toBe(2);
});

test("an answer that takes the last tokens is an answer", async () => {
  const { loop } = rig(() => ({ text: "an answer", usage: usage(1_000) }), { budgets: { tokens: 10 } });
  expect((await loop.run("go").outcome).status).toBe("answered");
});
