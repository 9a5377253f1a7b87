/** Whoever can keep a call waiting. Each is kept waiting until the proof lets go, long after the limit. */
import {
  ApprovalQueue,
  Executor,
  type ExecutorOptions,
  MemoryCallStore,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  tool,
} from "@toolrig/core";
import type { Ledger } from "@toolrig/core/kit";

/** What a case is measured against. Everything here would take forever. */
export const LIMIT_MS = 50;

export interface Waited {
  /** Of the call that the limit holds for. */
  result: ToolResult;
  /** Whatever else is wrong. */
  problems?: string[];
}

export interface Case {
  who: string;
  /** "ok", or the code of the failure. */
  want: string;
  /** What is reported as late once the slow one is let go: "value", "error", or nothing because nothing can come. */
  late?: "value" | "error";
  run(gate: Gate, seen: (executor: Executor) => Executor): Promise<Waited>;
}

/** Holds everybody who waits at it. */
export class Gate {
  readonly #open = Promise.withResolvers<void>();
  readonly wait: Promise<void> = this.#open.promise;

  open(): void {
    this.#open.resolve();
  }
}

type Spec = Partial<ToolSpec<unknown, unknown>>;

const CALL = { id: "c", name: "slow", arguments: {} };
const READS = { sideEffects: "read" } as const;

function slowTool(spec: Spec) {
  const base: ToolSpec<unknown, unknown> = {
    name: "slow",
    description: "Takes its time",
    input: { type: "object" },
    safety: READS,
    execute: () => "done",
  };
  return tool({ ...base, ...spec });
}

/** A tool that waits at the gate, under a limit of its own. */
function byTool(
  who: string,
  execute: (gate: Gate, context: ToolContext) => unknown,
  { late, want = "TOOL_TIMEOUT", ...spec }: Spec & { late?: Case["late"]; want?: string } = {},
): Case {
  return {
    who,
    want,
    ...(late !== undefined && { late }),
    async run(gate, seen) {
      const slow = slowTool({ timeout: LIMIT_MS, ...spec, execute: (_, context) => execute(gate, context) });
      return { result: await seen(new Executor({ tools: [slow] })).call(CALL) };
    },
  };
}

/** Somebody around the tool who waits at the gate; `answerWithin` is the limit. */
function around(
  who: string,
  want: string,
  options: (wait: () => Promise<undefined>) => ExecutorOptions,
  spec: Spec = {},
): Case {
  return {
    who,
    want,
    async run(gate, seen) {
      const wait = () => gate.wait.then(() => undefined);
      const executor = new Executor({
        tools: [slowTool(spec)],
        answerWithin: LIMIT_MS,
        ...options(wait),
      });
      return { result: await seen(executor).call(CALL) };
    },
  };
}

const quiet: Ledger = {
  intend: () => ({ state: "new" }),
  complete: () => {},
  fail: () => {},
  unknown: () => {},
  withdraw: () => {},
  open: () => [],
};

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const writes: Spec = { safety: { sideEffects: "write" } };

export const TOOLS: readonly Case[] = [
  byTool("a deaf tool", (gate) => gate.wait.then(() => "late"), { late: "value" }),
  byTool(
    "a deaf tool that then throws",
    async (gate) => {
      await gate.wait;
      throw new Error("too late");
    },
    { late: "error" },
  ),
  byTool("a deaf tool that writes", (gate) => gate.wait.then(() => "late"), { late: "value", ...writes }),
  byTool(
    "a synchronous tool",
    () => {
      busy(2 * LIMIT_MS);
      return "late";
    },
    { late: "value" },
  ),
  byTool(
    "an async tool that blocks the thread",
    async () => {
      busy(2 * LIMIT_MS);
      return "late";
    },
    { late: "value" },
  ),
  byTool(
    "a generator that blocks the thread",
    async function* () {
      yield "working";
      busy(2 * LIMIT_MS);
      return "late";
    },
    { late: "value" },
  ),
  byTool(
    "an async tool that blocks the thread in silence",
    async () => {
      busy(2 * LIMIT_MS);
      return "late";
    },
    { late: "value", timeout: "1h", idleTimeout: LIMIT_MS },
  ),
  byTool("a generator that goes on and on", async function* (gate) {
    yield "working";
    await gate.wait;
    return "late";
  }),
  byTool(
    "a tool that has gone silent",
    (gate, { update }) => {
      update("working");
      return gate.wait.then(() => "late");
    },
    { late: "value", timeout: "1h", idleTimeout: LIMIT_MS },
  ),
  byTool("a tool that is tried again", (gate) => gate.wait, {
    safety: { sideEffects: "read", idempotent: true },
    retry: { attempts: 3, backoff: 0, timeouts: true },
    late: "value",
  }),
  byTool("an output schema that never answers", () => ({}), {
    output: {
      "~standard": {
        version: 1,
        vendor: "proof",
        validate: () => new Promise(() => {}),
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    },
  }),
];

export const AROUND: readonly Case[] = [
  around("a hook before", "TOOL_UNAVAILABLE", (wait) => ({ hooks: { beforeCall: wait } })),
  around("a hook after", "TOOL_BLOCKED", (wait) => ({ hooks: { afterCall: wait } })),
  around("a guard before", "TOOL_UNAVAILABLE", (wait) => ({ guards: [{ name: "g", before: wait }] })),
  around("a guard after", "TOOL_BLOCKED", (wait) => ({ guards: [{ name: "g", after: wait }] })),
  around("its own prepare", "TOOL_UNAVAILABLE", () => ({}), { prepare: () => new Promise(() => {}) }),
  around(
    "the ledger before a write",
    "TOOL_UNAVAILABLE",
    (wait) => ({ ledger: { ...quiet, intend: () => wait().then(() => ({ state: "new" as const })) } }),
    writes,
  ),
  around("the ledger after a write", "ok", (wait) => ({ ledger: { ...quiet, complete: wait } }), writes),
  around("the store of artifacts", "ok", (wait) => ({ maxContent: 100, artifacts: silentArtifacts(wait) }), {
    execute: () => "x".repeat(1_000),
  }),
  around("the store of records", "ok", (wait) => ({ store: { store: wait } })),
  {
    who: "a person who is asked",
    want: "TOOL_APPROVAL_REJECTED",
    async run(_gate, seen) {
      const queue = new ApprovalQueue({ expireAfter: LIMIT_MS, pollEvery: 20 });
      const tools = [slowTool({ approval: true })];
      return { result: await seen(new Executor({ tools, approve: queue.approver })).call(CALL) };
    },
  },
];

function silentArtifacts(wait: () => Promise<undefined>) {
  const silent = () => wait() as never;
  return { put: silent, write: silent, read: silent, bytes: silent };
}

export const TOGETHER: readonly Case[] = [
  {
    who: "one of a batch",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const tools = [
        slowTool({ timeout: LIMIT_MS, execute: () => gate.wait.then(() => "late") }),
        slowTool({ name: "quick" }),
      ];
      const executor = seen(new Executor({ tools }));
      const [result, quick] = await executor.batch([CALL, { id: "q", name: "quick", arguments: {} }]);
      return { result: result!, problems: quick!.isError ? ["its neighbour failed with it"] : [] };
    },
  },
  {
    who: "a call that a tool makes",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const tools = [
        slowTool({ name: "inner", timeout: "1h", execute: () => gate.wait }),
        slowTool({
          timeout: LIMIT_MS,
          execute: async (_, context) => (await context.call("inner", {})).failure?.code,
        }),
      ];
      const executor = seen(new Executor({ tools }));
      const inner = new Promise<string | undefined>((resolve) =>
        executor.events.on("call.end", ({ name, result }) => {
          if (name === "inner") resolve(result.failure?.code);
        }),
      );
      const result = await executor.call(CALL);
      const code = await inner;
      return { result, problems: code === "TOOL_CANCELLED" ? [] : [`the inner call: ${code}`] };
    },
  },
  {
    who: "a caller with less time",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const tools = [slowTool({ timeout: "1h", execute: () => gate.wait.then(() => "late") })];
      return { result: await seen(new Executor({ tools })).call(CALL, { timeout: LIMIT_MS }) };
    },
  },
  {
    who: "a caller who wants more time",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const tools = [slowTool({ timeout: LIMIT_MS, execute: () => gate.wait.then(() => "late") })];
      return { result: await seen(new Executor({ tools })).call(CALL, { timeout: "1h" }) };
    },
  },
  {
    who: "a caller who leaves",
    want: "TOOL_CANCELLED",
    late: "value",
    async run(gate, seen) {
      const tools = [slowTool({ timeout: "1h", execute: () => gate.wait.then(() => "late") })];
      const signal = AbortSignal.timeout(LIMIT_MS);
      return { result: await seen(new Executor({ tools })).call(CALL, { signal }) };
    },
  },
  {
    who: "a record of what was late",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const store = new MemoryCallStore();
      const tools = [slowTool({ timeout: LIMIT_MS, execute: () => gate.wait.then(() => "late") })];
      const executor = seen(new Executor({ tools, store }));
      const late = new Promise((resolve) => executor.events.on("call.late", resolve));
      const result = await executor.call(CALL);
      gate.open();
      await late;
      await executor.drain();
      const [record] = store.records();
      const asAnswered = record?.result.failure?.code === "TOOL_TIMEOUT" && store.late().length === 1;
      return { result, problems: asAnswered ? [] : ["the record is not what was answered"] };
    },
  },
];
