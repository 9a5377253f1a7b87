import type { Executor, ExecutorOptions, Guard, GuardInput, ToolResult } from "@toolrig/core";
import { EventStream, Registry } from "@toolrig/core";
import type { ArtifactStore, Ledger } from "@toolrig/core/kit";
import { type Hostile, hostileTool, never, sleep, thrower, untouchable, withTool } from "./hostile.ts";

const BLOCKED = "denied TOOL_BLOCKED";
const CANCELLED = "cancelled TOOL_CANCELLED";
const UNAVAILABLE = "unavailable TOOL_UNAVAILABLE";
const UNRECORDED = hostileTool({ safety: { sideEffects: "write" } });

/** Guards misbehave only for the hostile tool: the next call must find an executor that works. */
function forHostile<Answer>(
  answer: (input: GuardInput) => Answer,
): (input: GuardInput) => Answer | undefined {
  return (input) => (input.call.name === "hostile" ? answer(input) : undefined);
}

function before(answer: () => unknown): ExecutorOptions {
  const guard: Guard = { name: "odd", before: forHostile(answer) as never };
  return { tools: [hostileTool({})], guards: [guard] };
}

function after(answer: () => unknown): ExecutorOptions {
  const guard: Guard = { name: "odd", after: forHostile(answer) as never };
  return { tools: [hostileTool({})], guards: [guard] };
}

function asking(approve?: () => unknown): ExecutorOptions {
  return { tools: [hostileTool({ approval: true })], ...(approve && { approve: approve as never }) };
}

const silentLedger: Ledger = {
  intend: () => ({ state: "new" }),
  complete: () => {},
  fail: () => {},
  unknown: () => {},
  withdraw: () => {},
  open: () => [],
};
const brokenDisk = thrower(new Error("disk full"));
const brokenArtifacts: ArtifactStore = {
  put: brokenDisk,
  write: () => Promise.reject(new Error("disk full")),
  read: brokenDisk,
  bytes: brokenDisk,
};

function brokenSource(): Registry {
  const registry = new Registry([hostileTool({})]);
  const get = registry.get.bind(registry);
  registry.get = (name, range) => (name === "hostile" ? thrower("registry down")() : get(name, range));
  return registry;
}

/** Guards, hooks, approvers and stores that misbehave. */
export const surroundings: readonly Hostile[] = [
  {
    name: "a hook that blocks",
    expect: BLOCKED,
    options: { tools: [hostileTool({})], hooks: { beforeCall: forHostile(() => ({ block: "not today" })) } },
  },
  {
    name: "a hook that throws",
    expect: BLOCKED,
    options: { tools: [hostileTool({})], hooks: { beforeCall: forHostile(thrower("oops")) } },
  },
  {
    name: "a hook that rejects",
    expect: BLOCKED,
    options: {
      tools: [hostileTool({})],
      hooks: { beforeCall: forHostile(() => Promise.reject(untouchable())) },
    },
  },
  {
    name: "a hook that stops the run",
    stops: true,
    expect: BLOCKED,
    options: { tools: [hostileTool({})], hooks: { beforeCall: forHostile(() => ({ stop: "enough" })) } },
    check: ({ stop }) => (stop === "enough" ? undefined : "the run was not stopped"),
  },
  {
    name: "a hook that rewrites to arguments that are wrong",
    expect: "validation TOOL_EXECUTION_FAILED",
    options: { tools: [hostileTool({})], hooks: { beforeCall: forHostile(() => ({ args: 5 })) } },
  },
  {
    name: "a hook that never answers, cancelled",
    expect: CANCELLED,
    options: { tools: [hostileTool({})], hooks: { beforeCall: forHostile(never) } },
    callOptions: () => ({ signal: AbortSignal.timeout(20) }),
  },
  {
    name: "an after-hook that never answers, cancelled",
    expect: CANCELLED,
    options: { tools: [hostileTool({})], hooks: { afterCall: forHostile(never) } },
    callOptions: () => ({ signal: AbortSignal.timeout(20) }),
  },
  {
    name: "an after-hook that throws",
    expect: BLOCKED,
    options: { tools: [hostileTool({})], hooks: { afterCall: forHostile(thrower("oops")) } },
  },
  {
    name: "an after-hook that gives content that is none",
    expect: "ok",
    options: {
      tools: [hostileTool({})],
      hooks: { afterCall: forHostile(() => ({ content: [undefined, 5] as never })) },
    },
  },
  { name: "a guard that answers with a number", expect: BLOCKED, options: before(() => 5) },
  {
    name: "a guard that answers with a verdict that does not exist",
    expect: BLOCKED,
    options: before(() => ({ verdict: "perhaps" })),
  },
  {
    name: "a guard that denies without a reason, with a code that does not exist",
    expect: BLOCKED,
    options: before(() => ({ verdict: "deny", code: "constructor" })),
  },
  {
    name: "a guard whose verdict throws when it is read",
    expect: BLOCKED,
    options: before(untouchable),
  },
  { name: "an after-guard that answers with text", expect: BLOCKED, options: after(() => "fine by me") },
  {
    name: "an after-guard that rewrites to nothing",
    expect: "fatal TOOL_EXECUTION_FAILED",
    options: after(() => ({ verdict: "rewrite" })),
  },
  { name: "approval needed and nobody to ask", expect: "denied TOOL_APPROVAL_REJECTED", options: asking() },
  {
    name: "an approver that throws",
    expect: "denied TOOL_APPROVAL_REJECTED",
    options: asking(thrower("asleep")),
  },
  {
    name: "an approver whose answer throws when it is read",
    expect: "denied TOOL_APPROVAL_REJECTED",
    options: asking(() =>
      Promise.resolve({
        get approved() {
          throw new Error("no");
        },
      }),
    ),
  },
  {
    name: "an approver that never answers, cancelled",
    expect: CANCELLED,
    options: asking(never),
    callOptions: () => ({ signal: AbortSignal.timeout(20) }),
  },
  {
    name: "a tool that is not on the allowlist",
    expect: "denied TOOL_NOT_ALLOWED",
    options: { tools: [hostileTool({})], allow: ["ping"] },
  },
  { name: "a source that throws", expect: "fatal TOOL_EXECUTION_FAILED", options: { tools: brokenSource() } },
  {
    name: "a ledger that takes no intent",
    expect: UNAVAILABLE,
    options: { tools: [UNRECORDED], ledger: { ...silentLedger, intend: brokenDisk } },
  },
  {
    name: "a ledger that loses the outcome",
    expect: "ok",
    options: { tools: [UNRECORDED], ledger: { ...silentLedger, complete: brokenDisk } },
  },
  {
    name: "a ledger that rejects the outcome",
    expect: "ok",
    options: { tools: [UNRECORDED], ledger: { ...silentLedger, complete: () => Promise.reject("no") } },
  },
  {
    name: "a ledger that answers with nonsense",
    expect: "fatal TOOL_EXECUTION_FAILED",
    options: { tools: [UNRECORDED], ledger: { ...silentLedger, intend: () => undefined as never } },
  },
  {
    name: "a ledger that remembers an open intent",
    expect: "unknown TOOL_OUTCOME_UNKNOWN",
    options: { tools: [UNRECORDED], ledger: { ...silentLedger, intend: () => ({ state: "open" }) } },
  },
  withTool(
    "an artifact store that is full",
    "ok",
    { execute: () => "x".repeat(100_000) },
    { options: { artifacts: brokenArtifacts } },
  ),
  {
    name: "a listener that throws and one that rejects",
    expect: "ok",
    options: { tools: [hostileTool({})], events: badListeners() },
  },
  {
    name: "a record store that fails",
    expect: "ok",
    options: { tools: [hostileTool({})], store: { store: () => Promise.reject(untouchable()) } },
  },
  withTool(
    "a rate that is exceeded",
    "transient TOOL_RATE_LIMITED",
    { rate: { limit: 1, per: "1h", wait: 0 } },
    { act: twice },
  ),
  withTool(
    "a call cancelled while it waits for a slot",
    CANCELLED,
    { concurrency: 1, execute: () => sleep(60) },
    { act: cancelSecond },
  ),
  withTool(
    "a call cancelled while it waits for a lock",
    CANCELLED,
    { safety: { sideEffects: "write" }, locks: () => ["file"], execute: () => sleep(60) },
    { act: cancelSecond },
  ),
  withTool(
    "a call cancelled while it waits for its rate",
    CANCELLED,
    { rate: { limit: 1, per: "10s", wait: "1m" } },
    { act: cancelSecond },
  ),
  withTool(
    "a call cancelled while it waits for an identical one",
    CANCELLED,
    { pure: true, execute: () => sleep(60) },
    { act: cancelSecond },
  ),
  withTool("an executor that drains", UNAVAILABLE, {}, { act: closed((executor) => executor.drain(0)) }),
  withTool("an executor that is stopped", UNAVAILABLE, {}, { act: closed((executor) => executor.stop(0)) }),
  withTool(
    "an executor that stops while the tool hangs",
    CANCELLED,
    { execute: never },
    { act: stopMeanwhile },
  ),
];

/** Nothing may run under an allowlist that cannot be read: it has no next call that works. */
export const malformedAllowlist: Hostile = {
  name: "an allowlist that is malformed",
  expect: "denied TOOL_NOT_ALLOWED",
  options: { tools: [hostileTool({})], allow: "hostile" as never },
};

function badListeners(): EventStream {
  const events = new EventStream();
  events.on(thrower("deaf"));
  events.on(async () => Promise.reject(untouchable()));
  return events;
}

async function twice(executor: Executor): Promise<ToolResult> {
  await executor.call({ id: "c1", name: "hostile" });
  return executor.call({ id: "c2", name: "hostile" });
}

async function cancelSecond(executor: Executor): Promise<ToolResult> {
  const first = executor.call({ id: "c1", name: "hostile" });
  const second = executor.call({ id: "c2", name: "hostile" }, { signal: AbortSignal.timeout(10) });
  await first;
  return second;
}

function closed(close: (executor: Executor) => Promise<boolean>): NonNullable<Hostile["act"]> {
  return async (executor) => {
    await close(executor);
    const refused = await executor.call({ id: "c1", name: "hostile" });
    executor.start();
    return refused;
  };
}

async function stopMeanwhile(executor: Executor): Promise<ToolResult> {
  const pending = executor.call({ id: "c1", name: "hostile" });
  await sleep(5);
  await executor.stop();
  const result = await pending;
  executor.start();
  return result;
}
