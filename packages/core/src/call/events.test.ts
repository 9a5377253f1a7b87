import { expect, test } from "vitest";
import { transient } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import { tool } from "../tool/define-tool.ts";
import { type CallEvent, EventStream, MemoryEventLog } from "./events.ts";

const safety = { sideEffects: "read", idempotent: true } as const;
const echo = tool({
  name: "echo",
  description: "Echoes",
  input: { type: "object", properties: { text: { type: "string" } } },
  safety,
  execute: ({ text }) => text ?? "silence",
});
const flaky = tool({
  name: "flaky",
  description: "Fails first",
  input: { type: "object" },
  safety,
  retry: { backoff: 0 },
  execute: (_args, { attempt, update }) => {
    update("trying");
    return attempt === 1 ? transient("not yet") : "there";
  },
});
const tools = [echo, flaky];

test("the events of a call come in order, numbered without gaps, with all of its ids", async () => {
  const events: CallEvent[] = [];
  const executor = new Executor({ tools, events: (event) => events.push(event) });
  const ids = { runId: "r", requestId: "q", stepName: "s", parentId: "p" };
  const { executionId } = await executor.call({ id: "c1", name: "flaky", arguments: "{,}" }, ids);
  expect(events.map((event) => event.type)).toEqual([
    "call.start",
    "call.repaired",
    "call.attempt",
    "call.update",
    "call.retry",
    "call.attempt",
    "call.update",
    "call.end",
  ]);
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const event of events)
    expect(event).toMatchObject({ ...ids, executionId, callId: "c1", name: "flaky" });
});

test("the parent of a call that a tool makes is the tool's, whatever that one is part of", async () => {
  const events: CallEvent[] = [];
  const outer = tool({
    name: "outer",
    description: "Calls",
    input: { type: "object" },
    safety,
    execute: async (_args, { call }) => (await call("echo", {})).value as string,
  });
  const executor = new Executor({ tools: [echo, outer], events: (event) => events.push(event) });
  const { executionId } = await executor.call({ id: "c", name: "outer" }, { parentId: "p" });
  const starts = events.filter(({ type }) => type === "call.start");
  expect(starts.map(({ name, parentId }) => [name, parentId])).toEqual([
    ["outer", "p"],
    ["echo", executionId],
  ]);
  expect(() => executor.call({ id: "c", name: "echo" }, { parentId: 5 as never })).toThrow(/parentId/);
});

test("the end carries the result that the caller gets", async () => {
  const events: CallEvent[] = [];
  const executor = new Executor({ tools, events: (event) => events.push(event) });
  const result = await executor.call({ id: "c1", name: "echo", arguments: { text: "hi" } });
  expect(events.at(-1)).toMatchObject({ type: "call.end", args: { text: "hi" } });
  expect((events.at(-1) as { result?: unknown }).result).toEqual(result);
});

test("a listener that throws, rejects or is slow changes nothing, and is counted", async () => {
  const events = new EventStream();
  const seen: string[] = [];
  events.on(() => {
    throw new Error("deaf");
  });
  events.on(() => Promise.reject(new Error("deaf later")));
  events.on(() => new Promise(() => {}));
  events.on((event) => seen.push(event.type));
  const executor = new Executor({ tools, events });
  expect((await executor.call({ id: "c1", name: "echo" })).value).toBe("silence");
  expect(seen).toEqual(["call.start", "call.attempt", "call.end"]);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(executor.health().listenerFaults).toBe(6);
});

test("a listener hears one type if it wants, until it stops", async () => {
  const executor = new Executor({ tools });
  const seen: string[] = [];
  const stop = executor.events.on("call.end", (event) => seen.push(event.result.callId));
  await executor.call({ id: "c1", name: "echo" });
  stop();
  await executor.call({ id: "c2", name: "echo" });
  expect(seen).toEqual(["c1"]);
  expect(executor.events.active).toBe(false);
});

test("events that a listener causes reach the others after the one it heard", async () => {
  const executor = new Executor({ tools });
  const seen: number[] = [];
  let caused: Promise<unknown> | undefined;
  executor.events.on("call.start", (event) => {
    if (event.callId === "c1") caused = executor.call({ id: "c2", name: "echo" });
  });
  executor.events.on((event) => seen.push(event.seq));
  await executor.call({ id: "c1", name: "echo" });
  await caused;
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

test("executors can share a stream, with one numbering", async () => {
  const events = new EventStream();
  const seen: number[] = [];
  events.on((event) => seen.push(event.seq));
  await new Executor({ tools, events }).call({ id: "c1", name: "echo" });
  await new Executor({ tools, events }).call({ id: "c2", name: "echo" });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a log keeps the latest events, oldest first, and counts what it dropped", async () => {
  const log = new MemoryEventLog(4);
  const executor = new Executor({ tools, events: log });
  await executor.call({ id: "c1", name: "echo" });
  expect(log.events().map((event) => event.type)).toEqual(["call.start", "call.attempt", "call.end"]);
  expect(log.dropped).toBe(0);
  await executor.call({ id: "c2", name: "echo" });
  expect(log.events().map((event) => `${event.callId} ${event.type}`)).toEqual([
    "c1 call.end",
    "c2 call.start",
    "c2 call.attempt",
    "c2 call.end",
  ]);
  expect(log.dropped).toBe(2);
});

test("who listens to one type gets all of that type, numbered as if all were told", async () => {
  const all: CallEvent[] = [];
  const told = new Executor({ tools, events: (event) => all.push(event) });
  const ends: CallEvent[] = [];
  const executor = new Executor({ tools });
  const stop = executor.events.on("call.end", (event) => ends.push(event));
  for (const each of [told, executor]) await each.call({ id: "c1", name: "echo", arguments: { text: "hi" } });
  const { seq, startSeq } = all.at(-1) ?? {};
  expect(ends).toMatchObject([{ type: "call.end", seq, startSeq, callId: "c1" }]);
  expect([executor.events.wants("call.end"), executor.events.wants("call.start")]).toEqual([true, false]);
  stop();
  expect(executor.events.wants("call.end")).toBe(false);
  expect([told.events.wants("call.end"), told.events.wants("call.start")]).toEqual([true, true]);
});

test("who watches is told what the call works with, and who listens a frozen copy", async () => {
  const watched: unknown[] = [];
  const executor = new Executor({ tools });
  const { events } = executor;
  const stop = events.watch("call.end", (event) => watched.push(event.result));
  expect([events.wants("call.end"), events.keeps("call.end"), events.wants("call.start")]).toEqual([
    true,
    false,
    false,
  ]);
  const result = await executor.call({ id: "c1", name: "echo", arguments: { text: "hi" } });
  expect(watched[0] === result && !Object.isFrozen(result)).toBe(true);

  const heard: unknown[] = [];
  events.on("call.end", (event) => heard.push(event.result));
  const next = await executor.call({ id: "c2", name: "echo", arguments: { text: "hi" } });
  expect(heard[0] === watched[1] && Object.isFrozen(heard[0])).toBe(true);
  expect(heard[0]).toEqual(next);
  expect(heard[0] !== next && !Object.isFrozen(next)).toBe(true);
  stop();
  await executor.call({ id: "c3", name: "echo" });
  expect([watched.length, heard.length]).toEqual([2, 2]);
});
