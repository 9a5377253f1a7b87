import { tool, transient } from "@toolrig/core";
import { expect, test } from "vitest";
import { type ScriptedCall, scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions } from "../loop/options.ts";

/** What the model reads after each of these calls, one a turn. */
async function answersTo(calls: readonly ScriptedCall[], options: Partial<AgentLoopOptions> = {}) {
  const ran: string[] = [];
  let jobs = 0;
  const input = { type: "object", properties: { q: { type: "string" }, n: { type: "integer" } } } as const;
  const note = (name: string, answer: () => string) =>
    tool({
      name,
      description: name,
      input,
      safety: { sideEffects: "read" },
      execute() {
        ran.push(name);
        return answer();
      },
    });
  const tools = [
    note("look", () => "nothing here"),
    note("poll", () => `step ${++jobs}`),
    note("edit", () => "ok"),
  ];
  const engine = scriptedEngine((_request, turn) =>
    calls[turn - 1] === undefined ? "done" : { calls: [calls[turn - 1]!] },
  );
  const { messages } = await new AgentLoop({ engine, tools, ...options }).run("go").outcome;
  const texts = messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => JSON.stringify(content)) : [],
  );
  return {
    ran,
    texts,
    advised: texts.map((text) => text.includes("[advice]")),
    refused: texts.map((text) => text.includes("TOOL_REPEATED")),
  };
}

const look = (args: unknown = { q: "x" }) => ({ name: "look", arguments: args });

test("the same call with the same result is advised against, then refused", async () => {
  const { ran, advised, refused } = await answersTo([look(), look(), look(), look(), look(), look()]);
  expect(advised).toEqual([false, false, true, true, false, false]);
  expect(refused).toEqual([false, false, false, false, true, true]);
  expect(ran).toHaveLength(4);
});

test("arguments that mean the same are the same", async () => {
  const spellings = [
    '{"q":"x","n":1}',
    '{ "n": 1, "q": "x" }',
    '{"q": "x", "n": 1}',
    '{"n":1,"q":"x"}',
    '{"q":"x","n":1}',
  ];
  const { refused } = await answersTo(spellings.map((text) => look(text)));
  expect(refused).toEqual([false, false, false, false, true]);
});

test("two calls in turn are a circle too", async () => {
  const a = look({ q: "a" });
  const b = look({ q: "b" });
  const { refused } = await answersTo([a, b, a, b, a, b, a, b, a, b, a, b]);
  expect(refused.slice(0, 8)).not.toContain(true);
  expect(refused.slice(10)).toEqual([true, true]);
});

test("polling that brings something new is not a circle", async () => {
  const { advised, refused } = await answersTo(
    Array.from({ length: 8 }, () => ({ name: "poll", arguments: {} })),
  );
  expect([...advised, ...refused]).not.toContain(true);
});

test("looking again after every change is not a circle", async () => {
  const calls = Array.from({ length: 8 }, (_, n) => [{ name: "edit", arguments: { n } }, look()]).flat();
  const { refused, advised } = await answersTo(calls);
  expect([...advised, ...refused]).not.toContain(true);
});

test("the same wrong call is advised against the third time and refused the fourth", async () => {
  const wrong = Array.from({ length: 5 }, () => look({ q: 7, n: "x" }));
  const { ran, advised, refused } = await answersTo(wrong);
  expect(ran).toEqual([]);
  expect(advised).toEqual([false, false, true, false, false]);
  expect(refused).toEqual([false, false, false, true, true]);
});

test("a tool that is called wrongly in many ways is nudged at 4 and refused at 8", async () => {
  const wrong = Array.from({ length: 9 }, (_, n) => ({ name: "lok", arguments: { n } }));
  const { advised, refused } = await answersTo(wrong);
  expect(advised).toEqual([false, false, false, true, true, true, true, false, false]);
  expect(refused).toEqual([false, false, false, false, false, false, false, true, true]);
});

test("a failure that is not the model's fault never counts", async () => {
  let ran = 0;
  const down = tool({
    name: "down",
    description: "down",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    execute() {
      ran += 1;
      return transient("the service is down");
    },
  });
  const calls = Array.from({ length: 6 }, () => ({ name: "down", arguments: {} }));
  const { advised, refused } = await answersTo(calls, { tools: [down] });
  expect([...advised, ...refused]).not.toContain(true);
  expect(ran).toBe(6);
});

test("something new lifts the refusal of a wrong call", async () => {
  const wrong = look({ n: "x" });
  const { refused } = await answersTo([wrong, wrong, wrong, wrong, { name: "edit", arguments: {} }, wrong]);
  expect(refused).toEqual([false, false, false, true, false, false]);
});

test("the limits can be changed and the watch turned off", async () => {
  const six = Array.from({ length: 6 }, () => look());
  expect((await answersTo(six, { repeats: { refuse: 3, advise: 2 } })).refused).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect((await answersTo(six, { repeats: false })).refused).not.toContain(true);
});
