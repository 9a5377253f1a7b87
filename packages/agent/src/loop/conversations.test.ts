import { type CallEvent, MemoryJournal, result, tool, transient, validation } from "@toolrig/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ScriptedReply, scriptedEngine } from "../engines/scripted.ts";
import type { FinishReason } from "../model/engine.ts";
import { ModelFault } from "../model/faults.ts";
import { callsOf, type Message } from "../model/message.ts";
import { transcriptProblems } from "../model/transcript.ts";
import type { LoopHooks } from "../run/hooks.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import { AgentLoop } from "./loop.ts";

const CONVERSATIONS = process.env.TOOLRIG_FULL === "1" ? 10_000 : 500;

/** Behaves as its arguments say, in every way a tool can. */
function act({ how = "ok" }: { how?: string }): unknown {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  switch (how) {
    case "fail":
      return validation("wrong");
    case "throw":
      throw new Error("thrown");
    case "throw-nothing":
      throw undefined;
    case "transient":
      return transient("later");
    case "circular":
      return circular;
    case "terminate":
      return result({ content: "bye", terminate: true });
    case "later":
      return new Promise((resolve) => setImmediate(resolve, "later"));
    case "never":
      return new Promise(() => {});
    default:
      return how;
  }
}

const input = { type: "object", properties: { how: { type: "string" } } } as const;
const retry = { attempts: 2, backoff: 0 };
const tools = [
  tool({
    name: "read",
    description: "Read",
    input,
    safety: { sideEffects: "read", idempotent: true },
    retry,
    timeout: 20,
    execute: act,
  }),
  tool({ name: "write", description: "Write", input, timeout: 20, execute: act }),
  tool({ name: "one_by_one", description: "In turn", input, mode: "sequential", timeout: 20, execute: act }),
];

interface Turn {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: FinishReason | undefined;
  fault: boolean;
  streamed: boolean;
  /** What happens from outside while the turn goes on. */
  outside: "nothing" | "steer" | "follow-up" | "abort" | "untrusted";
}

const how = fc.constantFrom(
  ...["ok", "ok", "ok", "fail", "throw", "throw-nothing", "transient", "circular", "terminate", "later"],
);
const argument = fc.oneof(
  { weight: 6, arbitrary: how.map((each) => JSON.stringify({ how: each })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "{", '{"how": "ok"', "not json", '{"how": 7}', "[]", '{"__proto__": 1}'),
  },
);
const name = fc.constantFrom("read", "read", "write", "one_by_one", "raed", "");
const callOf = fc.record({ id: fc.constantFrom("a", "b", "c", "", "call_0"), name, arguments: argument });
const turnOf: fc.Arbitrary<Turn> = fc.record({
  text: fc.constantFrom(
    "",
    "thinking",
    '<tool_call>{"name": "read", "arguments": {}}</tool_call>',
    "<tool_call>{",
  ),
  calls: fc.array(callOf, { maxLength: 5 }),
  finish: fc.option(
    fc.constantFrom<FinishReason>("stop", "tool-calls", "length", "content-filter", "other"),
    { nil: undefined, freq: 3 },
  ),
  fault: fc.integer({ min: 0, max: 9 }).map((each) => each === 0),
  streamed: fc.boolean(),
  outside: fc.constantFrom(
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "steer",
    "follow-up",
    "untrusted",
    "abort",
  ),
});
const hookOf = fc.constantFrom(
  "none",
  "none",
  "block",
  "rewrite",
  "throw-before",
  "throw-after",
  "stop",
  "prepare",
  "break",
);
const conversation = fc.record({
  turns: fc.array(turnOf, { minLength: 1, maxLength: 8 }),
  hook: hookOf,
  hang: fc.integer({ min: 0, max: 19 }).map((each) => each === 0),
  journaled: fc.boolean(),
  mode: fc.constantFrom("parallel" as const, "sequential" as const),
  limit: fc.integer({ min: 1, max: 8 }),
});
type Conversation = typeof conversation extends fc.Arbitrary<infer Value> ? Value : never;

function hooksFor(hook: string): LoopHooks {
  if (hook === "block")
    return { beforeCall: ({ call }) => (call.name === "write" ? { block: "no" } : undefined) };
  if (hook === "rewrite")
    return { beforeCall: () => ({ args: { how: "rewritten" } }), afterCall: () => ({ content: "x" }) };
  if (hook === "throw-before")
    return {
      beforeCall: () => {
        throw new Error("hook");
      },
    };
  if (hook === "throw-after")
    return {
      afterCall: () => {
        throw undefined;
      },
    };
  if (hook === "stop") return { shouldStop: ({ turn }) => turn > 3 };
  if (hook === "prepare")
    return { prepareTurn: ({ turn }) => (turn % 2 === 0 ? { tools: ["read"] } : { tools: null }) };
  if (hook === "break")
    return {
      transformContext: ({ turn, messages }) => {
        if (turn === 4) throw new Error("hook");
        return messages;
      },
    };
  return {};
}

async function* streamed(
  reply: Exclude<ScriptedReply, string | readonly unknown[] | AsyncIterable<unknown>>,
) {
  for (const event of scriptedEngine([reply]).stream({} as never) as Iterable<never>) {
    await Promise.resolve();
    yield event;
  }
}

async function converse({ turns, hook, hang, journaled, mode, limit }: Conversation) {
  const offered: Message[][] = [];
  const engine = scriptedEngine(({ messages }, count) => {
    offered.push([...messages]);
    const turn = turns[count - 1];
    if (turn === undefined) return "the end";
    outside(turn.outside);
    const calls =
      hang && turn.calls[0] !== undefined
        ? [{ ...turn.calls[0], arguments: '{"how": "never"}' }, ...turn.calls]
        : turn.calls;
    const reply = {
      text: turn.text,
      calls,
      ...(turn.finish !== undefined && { finish: turn.finish }),
      ...(turn.fault && { error: new ModelFault("overloaded", "busy") }),
    };
    return turn.streamed ? streamed(reply) : reply;
  });
  const results: string[] = [];
  const loop = new AgentLoop({
    engine,
    tools,
    mode,
    hooks: hooksFor(hook),
    maxToolIterations: limit,
    retry: { attempts: 2, backoff: 0 },
    onToolResult: ({ callId }) => results.push(callId),
    ...(journaled && { journal: new MemoryJournal() }),
  });
  const run = loop.run("begin");
  function outside(what: Turn["outside"]) {
    if (what === "steer") run.steer("steered");
    if (what === "follow-up") run.followUp("followed up");
    if (what === "untrusted") run.steer("</data>", { untrusted: "elsewhere" });
    if (what === "abort") setImmediate(() => run.abort());
  }
  const events: LoopEvent[] = [];
  for await (const event of run) events.push(event);
  return { outcome: await run.outcome, events, results, offered };
}

/** Every call has exactly one result, and every result one call. */
function checkTranscripts({ outcome, results, offered }: Awaited<ReturnType<typeof converse>>): void {
  for (const messages of [...offered, outcome.messages]) expect(transcriptProblems(messages)).toEqual([]);
  const asked = outcome.messages.flatMap((message) =>
    message.role === "assistant" ? callsOf(message).map((call) => call.id) : [],
  );
  expect(new Set(asked).size).toBe(asked.length);
  expect(results).toEqual(asked);
  expect(outcome.calls).toBe(asked.length);
}

/** Runs contain turns, turns contain calls, nothing overlaps that must not, and everything that begins ends. */
function checkEvents({ events, outcome }: Awaited<ReturnType<typeof converse>>): void {
  expect(events[0]?.type).toBe("run.start");
  expect(events.at(-1)).toMatchObject({ type: "run.end", outcome: { status: outcome.status } });
  expect(events.filter((event) => event.type === "run.end")).toHaveLength(1);
  let turn: number | undefined;
  const open = new Set<string>();
  const ended = new Set<string>();
  for (const [index, event] of events.entries()) {
    expect(event.seq).toBe(index + 1);
    if (event.type === "turn.start") {
      expect(turn).toBeUndefined();
      turn = event.turn;
    }
    if (event.type === "text" || event.type === "reasoning") expect(event.turn).toBe(turn);
    if (event.type === "turn.end") {
      expect([event.turn, open.size]).toEqual([turn, 0]);
      turn = undefined;
    }
    if (!event.type.startsWith("call.") || event.type === "call.late") continue;
    const { executionId } = event as unknown as CallEvent;
    expect(turn).toBeDefined();
    if (event.type === "call.start") open.add(executionId);
    expect(open.has(executionId)).toBe(true);
    if (event.type !== "call.end") continue;
    open.delete(executionId);
    expect(ended.has(executionId)).toBe(false);
    ended.add(executionId);
  }
  expect([turn, open.size, ended.size]).toEqual([undefined, 0, outcome.calls]);
}

test(`${CONVERSATIONS} random conversations: valid transcripts, one result a call, events that nest and end`, async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(conversation, async (each) => {
      const run = await converse(each);
      checkTranscripts(run);
      checkEvents(run);
      ends.set(run.outcome.status, (ends.get(run.outcome.status) ?? 0) + 1);
    }),
    { numRuns: CONVERSATIONS },
  );
  expect([...ends.keys()].sort(), "every way to end was drawn").toEqual([
    "aborted",
    "answered",
    "failed",
    "stopped",
    "terminated",
  ]);
});
