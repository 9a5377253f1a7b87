import { type CallExecutor, Executor, MemoryCallStore, MemoryJournal, tool } from "@toolrig/core";
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

test("at the edge of the budget what is remembered is answered, and what is not is refused", async () => {
  const { counts, loop } = rig(
    (turn) =>
      [calls("remember"), calls("remember", "remember"), calls("read", "remember")][turn - 1] ?? "done",
    { budgets: { calls: 1 } },
  );
  const outcome = await loop.run("go").outcome;
  const refused = outcome.messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ isError }) => isError) : [],
  );
  expect(refused).toEqual([false, false, false, true, false]);
  expect(outcome.status).toBe("answered");
  expect(counts.ran).toBe(1);
});

test("what is not remembered does not run beyond the budget, however its arguments read", async () => {
  const asks = [calls("read"), { calls: [{ name: "remember", arguments: { other: 1 } }] }];
  const { counts, loop } = rig((turn) => asks[turn - 1] ?? "done", { budgets: { calls: 1 } });
  const { messages } = await loop.run("go").outcome;
  expect(counts.ran).toBe(1);
  expect(JSON.stringify(messages)).toContain("TOOL_BUDGET_EXCEEDED");
});

test("starts, hooks and ends keep the order of the calls when some are refused", async () => {
  const seen: string[] = [];
  const store = new MemoryCallStore();
  const executor = new Executor({
    tools: [tool({ ...spec, name: "read", version: "1.0.0", execute: () => "bytes" })],
    hooks: { afterCall: ({ call }) => void seen.push(`after ${call.id}`) },
    events: (event) => void (/start|end/.test(event.type) && seen.push(`${event.type} ${event.callId}`)),
    store,
  });
  const ids = ["a", "b", "c", "d"];
  const engine = scriptedEngine([
    { calls: ids.map((id) => ({ id, name: id === "a" ? "other" : "read", arguments: '{"n": 1,}' })) },
    "done",
  ]);
  const hooks = { prepareTurn: () => ({ tools: ["read"] }) };
  await new AgentLoop({ engine, executor, hooks, budgets: { calls: 2 }, repeats: false }).run("go").outcome;
  await executor.drain();
  expect(seen.filter((each) => each.startsWith("call.start"))).toEqual(ids.map((id) => `call.start ${id}`));
  expect(seen.filter((each) => each.startsWith("call.end"))).toEqual(ids.map((id) => `call.end ${id}`));
  expect(seen.filter((each) => each.startsWith("after"))).toEqual(["after b", "after c", "after d"]);
  // What was refused is recorded as what ran is.
  const recordOf = (id: string) => store.records().find(({ callId }) => callId === id)!;
  expect(recordOf("d")).toMatchObject({ version: "1.0.0", args: { n: 1 }, rawArguments: '{"n": 1,}' });
  expect(recordOf("d").definitionHash).toBe(recordOf("c").definitionHash);
});

test("a listener hears of calls that did not run because the journal failed", async () => {
  class FullJournal extends MemoryJournal {
    override append(runId: string, entries: Parameters<MemoryJournal["append"]>[1]): void {
      if (entries.some(({ type }) => type === "calls")) throw new Error("no space left");
      super.append(runId, entries);
    }
  }
  const heard: string[] = [];
  const { counts, loop } = rig(() => calls("read", "read"), {
    journal: new FullJournal(),
    onToolResult: ({ failure }) => void heard.push(failure?.code ?? "ok"),
  });
  expect((await loop.run("go").outcome).status).toBe("failed");
  expect([heard, counts.ran]).toEqual([["TOOL_UNAVAILABLE", "TOOL_UNAVAILABLE"], 0]);
});

test("an executor that knows no refusals is given only what may run", async () => {
  const given: string[][] = [];
  const inner = new Executor({ tools: [tool({ ...spec, name: "read", execute: () => "bytes" })] });
  const executor: CallExecutor = {
    events: inner.events,
    tools: inner.tools,
    call: (call, options) => inner.call(call, options),
    batch: (asked, options) => {
      given.push(asked.map(({ name }) => name));
      return inner.batch(asked, options);
    },
  };
  const engine = scriptedEngine([calls("read", "read", "read"), "done"]);
  const { messages } = await new AgentLoop({ engine, executor, budgets: { calls: 1 }, repeats: false }).run(
    "go",
  ).outcome;
  expect(given).toEqual([["read"]]);
  expect(JSON.stringify(messages).match(/TOOL_BUDGET_EXCEEDED/g)?.length).toBeGreaterThanOrEqual(2);
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

test("a budget of tokens that cannot be kept ends the run before a call, and not one without it", async () => {
  const counting = [undefined, usage(0)];
  for (const told of counting) {
    const calls = [{ name: "read" }];
    const reply = (turn: number): ScriptedReply =>
      turn > 1 ? "an answer" : { calls, ...(told !== undefined && { usage: told }) };
    const { counts, loop } = rig(reply, { budgets: { tokens: 150 } });
    expect(await loop.run("go").outcome).toMatchObject({
      status: "failed",
      error: {
        code: "ORCHESTRATION_BUDGET_EXCEEDED",
        message: expect.stringContaining("budget of 150 tokens cannot be kept"),
      },
    });
    expect(counts).toEqual({ asked: 1, ran: 0 });
    expect((await rig(reply).loop.run("go").outcome).status).toBe("answered");
  }
  const answering = rig(() => "an answer", { budgets: { tokens: 150 } });
  expect((await answering.loop.run("go").outcome).status).toBe("answered");
});

test("an answer that takes the last tokens is an answer", async () => {
  const { loop } = rig(() => ({ text: "an answer", usage: usage(1_000) }), { budgets: { tokens: 10 } });
  expect((await loop.run("go").outcome).status).toBe("answered");
});
