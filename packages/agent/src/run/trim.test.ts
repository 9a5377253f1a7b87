import {
  Executor,
  InformationFlow,
  MemoryJournal,
  Registry,
  readResultTool,
  result,
  textOf,
  tool,
} from "@toolrig/core";
import { MemoryArtifactStore } from "@toolrig/core/kit";
import { describe, expect, test } from "vitest";
import { scriptedEngine } from "../engines/scripted.ts";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions, TrimOptions } from "../loop/options.ts";
import type { EngineRequest } from "../model/engine.ts";
import type { Message } from "../model/message.ts";
import { transcriptProblems } from "../model/transcript.ts";

const SIZE = 3_000;
const page = tool({
  name: "fetch_page",
  description: "Fetch",
  input: { type: "object", properties: { n: { type: "integer" } } },
  safety: { sideEffects: "read" },
  labels: { integrity: "untrusted", source: "web" },
  execute: ({ n = 0 }) => `page ${n} `.padEnd(SIZE, `${n % 10}`),
});
const small = tool({
  name: "tell_time",
  description: "Time",
  input: { type: "object" },
  safety: { sideEffects: "read" },
  execute: () => "noon",
});

/** A model that fetches a page a turn, and what it was shown in each, as text. */
function reader(turns: number, failAt = Number.POSITIVE_INFINITY) {
  const shown: string[][] = [];
  const problems: string[] = [];
  const engine = scriptedEngine(({ messages }: EngineRequest) => {
    const turn = messages.filter(({ role }) => role === "assistant").length + 1;
    shown.push(messages.map((message) => JSON.stringify(message)));
    problems.push(...transcriptProblems(messages));
    if (turn === failAt) return { error: new Error("gone") };
    if (turn > turns) return "done";
    const calls = [{ id: `a${turn}`, name: "fetch_page", arguments: { n: turn } }];
    return { calls: [...calls, { id: `b${turn}`, name: "tell_time" }] };
  });
  return { engine, shown, problems };
}

const options = (trimResults: TrimOptions): Omit<AgentLoopOptions, "engine"> => ({
  tools: [page, small],
  maxToolIterations: 1_000,
  trimResults,
});

const isTrimmed = (message: string) => message.includes("are left out; read_result reads them");
/** Whole results that the model is shown. */
const whole = (messages: readonly string[]) => messages.filter((text) => text.length > SIZE).length;

test("old, large results are shown as references, in steps, and what is shown between them only grows", async () => {
  const { engine, shown, problems } = reader(30);
  const loop = new AgentLoop({ engine, ...options({ keepTurns: 4, everyTurns: 3 }) });
  const { messages, trimmed } = await loop.run("read").outcome;
  expect(problems).toEqual([]);
  let cuts = 0;
  for (const [index, now] of shown.entries()) {
    const before = shown[index - 1] ?? [];
    const kept = before.every((message, place) => now[place] === message);
    if (!kept) cuts += 1;
    // The latest four turns are whole, and a cut waits for as many turns and characters as it should.
    expect(whole(now)).toBeGreaterThanOrEqual(Math.min(4, index));
    expect(whole(now)).toBeLessThan(4 + 4);
  }
  // Three pages are less than 10,000 characters: every cut takes four.
  expect(cuts).toBe(6);
  const last = shown.at(-1)!;
  expect(last.filter(isTrimmed)).toHaveLength(24);
  expect(last.some((text) => isTrimmed(text) && text.includes("noon"))).toBe(true);
  const characters = messages.map((message) => JSON.stringify(message)).join("").length;
  expect(trimmed).toMatchObject({ results: 24, unkept: 0 });
  expect(
    Math.abs(
      characters - last.join("").length - JSON.stringify(messages.at(-1)).length - trimmed!.characters,
    ),
  ).toBeLessThan(
    // A quote or line break of a reference is two characters of JSON.
    24 * 5,
  );
  expect(messages.filter((message) => isTrimmed(JSON.stringify(message)))).toEqual([]);
});

test("few characters, or few turns, are no reason for a cut", async () => {
  for (const [trim, turns, trimmed] of [
    [{ keepTurns: 1, savingAtLeast: 1_000_000 }, 12, 0],
    [{ keepTurns: 3, everyTurns: 20 }, 12, 0],
    [{ keepTurns: 3, largerThan: SIZE }, 12, 0],
    [{}, 9, 0],
    [{}, 10, 5],
    [{ keepTurns: 1, everyTurns: 1, savingAtLeast: 0, largerThan: 500 }, 12, 11],
  ] as const) {
    const { engine } = reader(turns);
    const outcome = await new AgentLoop({ engine, ...options(trim) }).run("read").outcome;
    expect({ trim, results: outcome.trimmed?.results }).toEqual({ trim, results: trimmed });
  }
  const { engine } = reader(3);
  const { trimResults: _, ...plain } = options({});
  expect(await new AgentLoop({ engine, ...plain }).run("read").outcome).not.toHaveProperty("trimmed");
});

test("a run that is resumed or forked shows what it had shown, and its journal keeps the whole", async () => {
  const trim = options({ keepTurns: 2 });
  const unbroken = reader(12);
  await new AgentLoop({ ...trim, engine: unbroken.engine }).run("read").outcome;
  const withoutIds = (messages: readonly string[]) =>
    messages.map((text) => text.replace(/"executionId":"[^"]*"/g, ""));
  for (let failAt = 2; failAt <= 12; failAt++) {
    const journal = new MemoryJournal();
    const first = reader(12, failAt);
    const broken = { ...trim, journal, retry: { attempts: 1 } };
    await new AgentLoop({ ...broken, engine: first.engine }).run("read", { runId: "r" }).outcome;
    const second = reader(12);
    const outcome = await new AgentLoop({ ...broken, engine: second.engine }).resume("r").outcome;
    expect(outcome.trimmed?.results).toBe(8);
    expect(second.shown.map(withoutIds)).toEqual(unbroken.shown.slice(failAt - 1).map(withoutIds));
    expect(JSON.stringify(journal.entries("r"))).not.toContain("are left out");
    const third = reader(12);
    await new AgentLoop({ ...broken, engine: third.engine }).fork("r", failAt - 1, { runId: "f" }).outcome;
    expect(withoutIds(third.shown[0]!)).toEqual(withoutIds(unbroken.shown[failAt - 1]!));
  }
});

/** The id that a message refers to. */
const idIn = (message: string) => /id \\"(art_\w+)\\"/.exec(message)?.[1] ?? "";

test("what is left out is read back with the labels it had, also by a process that has only the journal", async () => {
  const journal = new MemoryJournal();
  const first = reader(20, 12);
  const trim = { ...options({ keepTurns: 2 }), journal, retry: { attempts: 1 } };
  const guarded = () => ({ guards: [new InformationFlow().guard] });
  await new AgentLoop({ ...trim, engine: first.engine, executor: guarded() }).run("read", { runId: "r" })
    .outcome;
  const engine = scriptedEngine(({ messages }) => {
    const text = messages.map((message) => JSON.stringify(message)).find(isTrimmed)!;
    const read = messages.some(
      (message) => message.role === "tool" && message.results[0]?.name === "read_result",
    );
    return read
      ? "done"
      : { calls: [{ name: "read_result", arguments: { id: idIn(text), length: 20_000 } }] };
  });
  const { messages } = await new AgentLoop({ ...trim, engine, executor: guarded() }).resume("r").outcome;
  const [part] = messages.flatMap((message) => (message.role === "tool" ? message.results : [])).slice(-1);
  expect(textOf(part!.content)).toMatch(
    /^page 1 1{2990,}\n\[characters 0 to 3000 of 3000\. This is the end\.\]$/,
  );
  expect(part!.labels).toMatchObject({ integrity: "untrusted", source: expect.stringContaining("web") });
});

test("images and failures keep their form", async () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const shot = tool({
    name: "fetch_page",
    description: "Shoot",
    input: { type: "object", properties: { n: { type: "integer" } } },
    safety: { sideEffects: "read" },
    execute: ({ n = 0 }) => {
      if (n % 2 === 1) throw new Error("x".repeat(SIZE));
      return result({ content: [{ type: "text", text: "y".repeat(SIZE) }, image] });
    },
  });
  const { engine, shown, problems } = reader(8);
  const trim = options({ keepTurns: 2, savingAtLeast: 0 });
  await new AgentLoop({ ...trim, engine, tools: [shot, small], repeats: false }).run("read").outcome;
  expect(problems).toEqual([]);
  const [first, second] = shown.at(-1)!.filter(isTrimmed);
  const noon = { callId: expect.stringMatching(/^b/), isError: false, content: [{ text: "noon" }] };
  expect(JSON.parse(first!)).toMatchObject({
    role: "tool",
    results: [{ callId: "a1", isError: true }, noon],
  });
  expect(JSON.parse(second!)).toMatchObject({
    role: "tool",
    results: [{ callId: "a2", isError: false, content: [{ type: "text" }, image] }, noon],
  });
});

describe("where it is kept", () => {
  test("a store that fails leaves results whole, and says so", async () => {
    const artifacts = new MemoryArtifactStore();
    artifacts.put = () => {
      throw new Error("full");
    };
    const { engine, shown } = reader(12);
    const loop = new AgentLoop({ engine, ...options({ keepTurns: 2 }), executor: { artifacts } });
    const { status, trimmed } = await loop.run("read").outcome;
    expect({ status, trimmed }).toEqual({
      status: "answered",
      trimmed: { results: 0, characters: 0, unkept: 8 },
    });
    expect(shown.flat().filter(isTrimmed)).toEqual([]);
  });

  test("an executor of your own must be able to read it", () => {
    const { engine } = reader(1);
    const tools = new Registry([page]);
    const executor = new Executor({ tools });
    const make = (trimResults: TrimOptions) => new AgentLoop({ engine, tools, executor, trimResults });
    expect(() => make({})).toThrow(/readResultTool/);
    tools.add(readResultTool(executor.artifacts));
    expect(() => make({})).not.toThrow();
    const elsewhere = { events: executor.events, call: executor.call, batch: executor.batch };
    expect(() => new AgentLoop({ engine, tools, executor: elsewhere, trimResults: {} })).toThrow(
      /trimResults.artifacts/,
    );
    for (const wrong of [{ keepTurns: 0 }, { everyTurns: 0.5 }, { largerThan: 10 }, { keepTurn: 3 }, true])
      expect(() => make(wrong as never)).toThrow(/trimResults/);
    const both = { artifacts: executor.artifacts };
    expect(() => new AgentLoop({ engine, trimResults: both })).toThrow(/executor.artifacts/);
  });

  test("read_result is offered with selection, allowlist and other tools of a turn", async () => {
    const offered: string[][] = [];
    const engine = scriptedEngine(({ tools }, turn) => {
      offered.push(tools.map(({ name }) => name));
      return turn % 2 === 1 ? { calls: [{ name: "tell_time" }] } : "done";
    });
    const many = Array.from({ length: 60 }, (_, n) => tool({ ...spec, name: `tool_${n}` }));
    const tools = [page, small, ...many];
    const selection = { threshold: 5, initial: 1, always: ["tell_time"] };
    await new AgentLoop({ engine, tools, selection, trimResults: {} }).run("x").outcome;
    const allow = ["tell_time", "fetch_page"];
    await new AgentLoop({ engine, tools, trimResults: {}, executor: { allow } }).run("x").outcome;
    const hooks = { prepareTurn: () => ({ tools: others }) };
    const others = [small];
    await new AgentLoop({ engine, tools, trimResults: {}, hooks }).run("x").outcome;
    for (const names of offered) expect(names).toContain("read_result");
    expect(offered[2]).toEqual(["fetch_page", "read_result", "tell_time"]);
    expect(offered[4]).toEqual(["read_result", "tell_time"]);
  });
});

const spec = {
  description: "Does something",
  input: { type: "object" },
  safety: { sideEffects: "read" },
  execute: () => "x",
} as const;

test("hooks that choose what is shown choose from what is trimmed", async () => {
  const seen: number[] = [];
  const { engine, shown } = reader(12);
  const hooks = {
    transformContext: ({ messages }: { messages: readonly Message[] }) => {
      seen.push(messages.filter((message) => isTrimmed(JSON.stringify(message))).length);
      return messages.slice();
    },
  };
  await new AgentLoop({ engine, ...options({ keepTurns: 2 }), hooks }).run("read").outcome;
  expect(seen.at(-1)).toBe(8);
  expect(shown.at(-1)!.filter(isTrimmed)).toHaveLength(8);
});
