import { expect, test } from "vitest";
import { z } from "zod";
import { Executor, type ExecutorOptions, MemoryLedger, tool } from "../index.ts";
import { MemoryArtifactStore } from "../kit.ts";
import type { Duration } from "../options/duration.ts";

const never = () => new Promise<never>(() => {});

interface Case {
  options?: ExecutorOptions;
  spec?: object;
  /** Whether the tool has run by then. */
  ran: boolean;
  /** Absent: the call succeeds all the same. */
  code?: string;
  executionId?: string;
}

function ledgerThat(...silent: ("intend" | "complete" | "get")[]): MemoryLedger {
  return Object.assign(new MemoryLedger(), Object.fromEntries(silent.map((method) => [method, never])));
}

/** A ledger that knows of an intent which an earlier process left open. */
function openLedger(): MemoryLedger {
  return Object.assign(new MemoryLedger(), { intend: () => ({ state: "open" }) });
}

const CASES: Record<string, Case> = {
  "a before-hook": { options: { hooks: { beforeCall: never } }, ran: false, code: "TOOL_UNAVAILABLE" },
  "a guard before": {
    options: { guards: [{ name: "g", before: never }] },
    ran: false,
    code: "TOOL_UNAVAILABLE",
  },
  "a guard about edited arguments": {
    options: {
      guards: [
        { name: "g", before: ({ args }) => (Object.hasOwn(args as object, "edited") ? never() : undefined) },
      ],
      approve: () => ({ approved: true, args: { edited: true } }),
    },
    spec: { approval: true },
    ran: false,
    code: "TOOL_UNAVAILABLE",
  },
  "the tool's prepare": { spec: { prepare: never }, ran: false, code: "TOOL_UNAVAILABLE" },
  "a validator": {
    spec: { input: z.object({}).refine(never) },
    ran: false,
    code: "TOOL_UNAVAILABLE",
  },
  "ledger.intend": { options: { ledger: ledgerThat("intend") }, ran: false, code: "TOOL_UNAVAILABLE" },
  "ledger.get": {
    options: { ledger: ledgerThat("get") },
    executionId: "exec_1",
    ran: false,
    code: "TOOL_UNAVAILABLE",
  },
  "ledger.complete": { options: { ledger: ledgerThat("complete") }, ran: true },
  reconcile: {
    options: { ledger: openLedger() },
    spec: { reconcile: never },
    executionId: "exec_1",
    ran: false,
    code: "TOOL_OUTCOME_UNKNOWN",
  },
  "artifacts.put": {
    options: { maxContent: 100, artifacts: Object.assign(new MemoryArtifactStore(), { put: never }) },
    ran: true,
  },
  "an after-hook": { options: { hooks: { afterCall: never } }, ran: true, code: "TOOL_BLOCKED" },
  "a guard after": { options: { guards: [{ name: "g", after: never }] }, ran: true, code: "TOOL_BLOCKED" },
};

function setUp({ options, spec, executionId }: Case, answerWithin: Duration) {
  let runs = 0;
  const act = tool({
    name: "act",
    description: "Acts",
    input: { type: "object" },
    safety: { sideEffects: "external" },
    execute: () => {
      runs += 1;
      return "x".repeat(1_000);
    },
    ...spec,
  });
  const executor = new Executor({ tools: [act], answerWithin, ...options });
  const call = (signal?: AbortSignal) =>
    executor.call(
      { id: "c", name: "act" },
      { ...(executionId !== undefined && { executionId }), ...(signal !== undefined && { signal }) },
    );
  return { call, runs: () => runs, executor };
}

test.each(Object.entries(CASES))("%s that never answers does not hold a call", async (_name, each) => {
  const { call, runs, executor } = setUp(each, "20ms");
  const { failure, isError } = await call();
  expect(failure?.code).toBe(each.code);
  expect(isError).toBe(each.code !== undefined);
  expect(runs()).toBe(each.ran ? 1 : 0);
  if (each.code === "TOOL_BLOCKED") expect(failure?.message).toContain("The tool has run.");
  expect(executor.health().inFlight).toBe(0);
});

test.each(Object.entries(CASES))(
  "%s that never answers does not hold a cancelled call",
  async (_name, each) => {
    const { call, executor } = setUp(each, "1h");
    const controller = new AbortController();
    const pending = call(controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await pending).toMatchObject({ name: "act" });
    expect(executor.health().inFlight).toBe(0);
  },
);

test("an intent that is taken too late is withdrawn: its call did not run", async () => {
  const withdrawn: string[] = [];
  const memory = new MemoryLedger();
  const ledger = Object.assign(new MemoryLedger(), {
    intend: (intent: Parameters<MemoryLedger["intend"]>[0]) =>
      new Promise((resolve) => setTimeout(() => resolve(memory.intend(intent)), 60)),
    withdraw: (id: string) => withdrawn.push(id),
  });
  const { call, runs } = setUp({ options: { ledger }, ran: false }, "20ms");
  const { executionId, failure } = await call();
  expect(failure?.message).toContain("no answer within 20ms");
  await expect.poll(() => withdrawn).toEqual([executionId]);
  expect(runs()).toBe(0);
});
