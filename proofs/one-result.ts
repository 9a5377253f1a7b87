import {
  type CallEvent,
  EventStream,
  Executor,
  Registry,
  type ToolCall,
  type ToolResult,
  tool,
} from "@toolrig/core";
import { HANG_MS } from "../scripts/hang-limit.ts";
import { calls } from "./one-result/calls.ts";
import type { Hostile } from "./one-result/hostile.ts";
import { returning, running } from "./one-result/returning.ts";
import { silent } from "./one-result/silent.ts";
import { malformedAllowlist, surroundings } from "./one-result/surroundings.ts";
import { throwing } from "./one-result/throwing.ts";
import type { Proof } from "./proof.ts";

const GROUPS: Readonly<Record<string, readonly Hostile[]>> = {
  "tools that throw": throwing,
  "tools that return": returning,
  "tools that do not end": running,
  calls,
  surroundings,
  "who never answers": silent,
};

const ping = tool({
  name: "ping",
  description: "Answers",
  input: { type: "object" },
  safety: { sideEffects: "none" },
  execute: () => "pong",
});

export const proof: Proof = {
  name: "one-result",
  claim: "Every call gets exactly one result, whatever the tool, the caller, a hook or a store does",

  async run(_mode, print) {
    const stray = watchForStrays();
    const misses: string[] = [];
    let passed = 0;
    for (const [group, cases] of Object.entries(GROUPS)) {
      const before = misses.length;
      for (const each of cases)
        misses.push(...(await problemsOf(each, stray.seen)).map((what) => `${each.name}: ${what}`));
      print(
        `${group.padEnd(24)} ${String(cases.length).padStart(3)} cases   ${misses.length - before} misses`,
      );
      passed += cases.length;
    }
    const refused = await resultOf(executorFor(malformedAllowlist).executor, malformedAllowlist);
    misses.push(...wrongIn(refused, malformedAllowlist).map((what) => `${malformedAllowlist.name}: ${what}`));
    passed += 1;
    stray.stop();
    for (const miss of misses) print(`  MISS ${miss}`);
    return { passed: passed - new Set(misses.map((miss) => miss.split(":")[0])).size, failed: misses.length };
  },
};

/** Rejections and exceptions that nobody handled, from the first case to the last. */
function watchForStrays(): { seen: string[]; stop: () => void } {
  const seen: string[] = [];
  const note = (what: string) => () => seen.push(what);
  const onRejection = note("a rejection was not handled");
  const onException = note("an exception was not caught");
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  const stop = () => {
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
  };
  return { seen, stop };
}

function executorFor({ options = {} }: Hostile): { executor: Executor; events: CallEvent[] } {
  const { tools = [], ...rest } = options;
  const registry = tools instanceof Registry ? tools : new Registry(tools as never);
  if (registry.get("ping") === undefined) registry.add(ping);
  const stream = rest.events instanceof EventStream ? rest.events : new EventStream();
  const events: CallEvent[] = [];
  stream.on((event) => events.push(event));
  return { executor: new Executor({ ...rest, tools: registry, events: stream }), events };
}

/** The case on its own, then a call that must work, then the case between two calls that must. */
async function problemsOf(hostile: Hostile, strays: string[]): Promise<string[]> {
  const problems: string[] = [];
  const strayBefore = strays.length;
  const { executor, events } = executorFor(hostile);
  problems.push(...wrongIn(await resultOf(executor, hostile), hostile));
  problems.push(...(await wrongWithNext(executor)));
  if (hostile.act === undefined) problems.push(...(await wrongInBatch(executor, hostile)));
  await new Promise((resolve) => setTimeout(resolve, 0));
  const { inFlight, queued } = executor.health();
  if (inFlight !== 0 || queued !== 0) problems.push(`${inFlight} calls are still under way, ${queued} wait`);
  problems.push(...wrongInEvents(events), ...strays.slice(strayBefore));
  return problems;
}

const OVERDUE = Symbol("overdue");

function inTime<T>(pending: Promise<T>): Promise<T | typeof OVERDUE> {
  let timer: ReturnType<typeof setTimeout>;
  const overdue = new Promise<typeof OVERDUE>((resolve) => {
    timer = setTimeout(() => resolve(OVERDUE), HANG_MS);
  });
  return Promise.race([pending, overdue]).finally(() => clearTimeout(timer));
}

async function resultOf(executor: Executor, hostile: Hostile): Promise<unknown> {
  const { act, call = { id: "c1", name: "hostile" }, callOptions = () => ({}) } = hostile;
  try {
    return await inTime(act === undefined ? executor.call(call as ToolCall, callOptions()) : act(executor));
  } catch (error) {
    return error instanceof Error ? error : new Error("threw something that is not an Error");
  }
}

function wrongIn(given: unknown, { expect, check }: Hostile): string[] {
  if (given === OVERDUE) return ["there was no result"];
  if (given instanceof Error) return [`the call rejected: ${given.message}`];
  const result = given as ToolResult;
  const { isError, failure, content, executionId, callId } = result;
  const came = isError ? `${failure?.kind} ${failure?.code}` : "ok";
  const problems = came === expect ? [] : [`expected ${expect}, got ${came}: ${failure?.message}`];
  const complete = Array.isArray(content) && content.length > 0 && typeof executionId === "string";
  if (!complete || typeof callId !== "string") problems.push("the result is not complete");
  const more = check?.(result);
  if (more !== undefined) problems.push(more);
  return problems.concat(unserialisable(result));
}

/** `details` are the tool's own; everything else must survive being stored and sent. */
function unserialisable({ details: _, ...result }: ToolResult): string[] {
  try {
    JSON.stringify(result);
    return [];
  } catch {
    return ["the result cannot be serialised"];
  }
}

async function wrongWithNext(executor: Executor): Promise<string[]> {
  const next = await resultOf(executor, { name: "next", expect: "ok", call: { id: "n1", name: "ping" } });
  return wrongIn(next, { name: "next", expect: "ok" }).map((what) => `the next call: ${what}`);
}

async function wrongInBatch(executor: Executor, hostile: Hostile): Promise<string[]> {
  const { call = { id: "c1", name: "hostile" }, callOptions } = hostile;
  const { executionId, ...options } = callOptions?.() ?? {};
  const cancelled = hostile.expect === "cancelled TOOL_CANCELLED";
  const around = (id: string) => ({ id, name: "ping", arguments: {} });
  const executionIds = [undefined, executionId, undefined];
  const calls = [around("b1"), call as ToolCall, around("b3")];
  const batch = executor.batch(calls, { ...options, executionIds });
  const results = await inTime(batch.catch((error: Error) => error));
  if (!Array.isArray(results)) return ["a batch with it did not end"];
  if (results.length !== 3) return [`a batch of three gave ${results.length} results`];
  if (cancelled) return wrongIn(results[1], hostile);
  const [first, middle, last] = results;
  return [
    ...wrongIn(first, { name: "", expect: "ok" }).map((what) => `before it in a batch: ${what}`),
    ...wrongIn(middle, hostile).map((what) => `in a batch: ${what}`),
    ...wrongIn(last, { name: "", expect: hostile.stops ? "denied TOOL_BLOCKED" : "ok" }).map(
      (what) => `after it in a batch: ${what}`,
    ),
    ...(first?.callId === "b1" && last?.callId === "b3" ? [] : ["a batch's results are out of order"]),
  ];
}

function wrongInEvents(events: readonly CallEvent[]): string[] {
  const problems = new Set<string>();
  const executions = Map.groupBy(events, (event) => event.executionId);
  for (const each of executions.values()) {
    const ends = each.filter((event) => event.type === "call.end").length;
    if (each[0]?.type !== "call.start") problems.add("events do not begin with call.start");
    if (ends !== 1) problems.add(`${ends} call.end events instead of one`);
    const afterEnd = each.slice(each.findIndex((event) => event.type === "call.end") + 1);
    if (afterEnd.some((event) => event.type !== "call.late")) problems.add("events after call.end");
  }
  return [...problems];
}
