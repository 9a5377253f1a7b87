import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Executor, reconcileOpen, type ToolCall, type ToolResult, tool } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";
import {
  type CrashPoint,
  type CrashScenario,
  crashAtEvents,
  crashableJournal,
  crashableLedger,
  crashableStore,
  slowly,
} from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import { SLOW_MS } from "./sites.ts";

/** How a tool behaves that is killed. */
export type Manner =
  | "read"
  | "idempotent"
  | "once"
  | "once, reconciled"
  | "once, by a reader"
  | "once, by a fresh reference";

export const MANNERS: readonly Manner[] = [
  "read",
  "idempotent",
  "once",
  "once, reconciled",
  "once, by a reader",
  "once, by a fresh reference",
];

/** Where tools leave their mark: one line an effect, with the idempotency key. */
export function effectsFile(folder: string): string {
  return join(folder, "effects");
}

export interface RunAnswer {
  results: ToolResult[];
  /** Results in the journal, by execution. */
  journaled: Record<string, number>;
  /** Records by execution. */
  recorded: Record<string, number>;
  open: number;
  auditOk: boolean;
}

const RUN = "run_crash";

/** A small run: journals its calls, makes them as one batch, journals the results. Started again, it picks up. */
export const scenario: CrashScenario = async ({ folder, point, given }) => {
  const manners = given as Manner[];
  const store = openStore(join(folder, "rig.db"));
  const writing = slowly(SLOW_MS, point);
  const journal = crashableJournal(store.journal, writing);
  const ledger = crashableLedger(store.ledger, writing);
  const tools = MANNERS.map((manner) => worldTool(manner, folder, point));
  const executor = new Executor({ tools, ledger, store: crashableStore(store.records, writing) });
  crashAtEvents(executor.events, point);

  await reconcileOpen(ledger, tools);
  if ((await journal.header(RUN)) === undefined)
    await journal.begin({ runId: RUN, kind: "loop", startedAt: Date.now(), input: null });
  const calls = manners.map((manner, index) => ({
    executionId: `exec_${index}`,
    call: { id: `call_${index}`, name: nameOf(manner), arguments: { index } } satisfies ToolCall,
  }));
  const before = await journal.entries(RUN);
  if (!before.some(({ type }) => type === "calls"))
    await journal.append(RUN, [{ type: "calls", turn: 0, calls }]);
  const done = resultsIn(before);
  const open = calls.filter(({ executionId }) => !done.has(executionId));
  const fresh = await executor.batch(
    open.map(({ call }) => call),
    { runId: RUN, executionIds: open.map(({ executionId }) => executionId) },
  );
  if (fresh.length > 0)
    await journal.append(
      RUN,
      fresh.map((result) => ({ type: "result", turn: 0, result })),
    );
  await executor.drain();
  const answer = await summary(store);
  store.close();
  return answer;
};

async function summary(store: ReturnType<typeof openStore>): Promise<RunAnswer> {
  const entries = await store.journal.entries(RUN);
  const results = entries.flatMap((entry) => (entry.type === "result" ? [entry.result] : []));
  return {
    results,
    journaled: counts(results),
    recorded: counts([...store.records.all()]),
    open: store.ledger.open().length,
    auditOk: store.records.verify().ok,
  };
}

function counts(items: readonly { executionId: string }[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(items, ({ executionId }) => executionId)].map(([id, those]) => [id, those.length]),
  );
}

function resultsIn(entries: readonly JournalEntry[]): Set<string> {
  return new Set(entries.flatMap((entry) => (entry.type === "result" ? [entry.result.executionId] : [])));
}

function nameOf(manner: Manner): string {
  return `touch_${manner.replaceAll(/\W+/g, "_")}`;
}

function worldTool(manner: Manner, folder: string, point: CrashPoint) {
  if (manner === "once, by a reader") return readerThatTouches(manner, point, () => "");
  if (manner === "once, by a fresh reference") return readerThatTouches(manner, point, randomUUID);
  const file = effectsFile(folder);
  return tool({
    name: nameOf(manner),
    description: "Leaves a line in a file",
    input: {
      type: "object",
      properties: { index: { type: "integer" }, reference: { type: "string" } },
      required: ["index"],
    },
    safety:
      manner === "read"
        ? { sideEffects: "read", idempotent: true }
        : { sideEffects: "write", idempotent: manner === "idempotent" },
    execute(_args, { idempotencyKey }) {
      point("before the effect");
      appendFileSync(file, `${idempotencyKey}\n`);
      point("after the effect");
      return "done";
    },
    ...(manner === "once, reconciled" && {
      reconcile: (_args: unknown, key: string) =>
        effectKeys(folder).includes(key)
          ? ({ outcome: "completed", value: "done" } as const)
          : ({ outcome: "never-ran" } as const),
    }),
  });
}

/** It says that it only reads, may be run again, and leaves its mark through another tool, each time with a reference. */
function readerThatTouches(manner: Manner, point: CrashPoint, reference: () => string) {
  return tool({
    name: nameOf(manner),
    description: "Has a line left in a file",
    input: { type: "object", properties: { index: { type: "integer" } }, required: ["index"] },
    safety: { sideEffects: "read", idempotent: true },
    async execute({ index }, { call }) {
      const { failure } = await call(nameOf("once"), { index, reference: reference() });
      point("after the call of the reader");
      return failure?.code ?? "done";
    },
  });
}

/** The idempotency keys of all effects that happened. */
export function effectKeys(folder: string): string[] {
  try {
    return readFileSync(effectsFile(folder), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
