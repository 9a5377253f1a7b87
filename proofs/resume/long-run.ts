import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentLoop, type Message, type RunOutcome, scriptedEngine } from "@toolrig/agent";
import { Executor, readResultTool, reconcileOpen, tool } from "@toolrig/core";
import {
  type CrashPoint,
  type CrashScenario,
  crashableJournal,
  crashableLedger,
  crashableStore,
} from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";

const RUN = "run_long";

export interface LongRunAnswer {
  status: RunOutcome["status"];
  /** The transcript without execution ids, which differ from run to run. */
  transcript: unknown[];
  turns: number;
  auditOk: boolean;
  /** Calls of the transcript that the audit does not know. */
  unrecorded: number;
  trimmed: RunOutcome["trimmed"];
  /** What the model was shown last, by its hash. Absent when it was not asked again. */
  shown?: string;
  /** References in it that nobody could read. */
  unreadable: number;
}

/** A run of `given` turns, begun or taken up wherever its journal ends. */
export const scenario: CrashScenario = async ({ folder, point, given }) => {
  const store = openStore(join(folder, "rig.db"));
  const journal = crashableJournal(store.journal, point);
  const ledger = crashableLedger(store.ledger, point);
  const { artifacts } = store;
  const tools = [...toolsOf(folder, point), readResultTool(artifacts)];
  const records = crashableStore(store.records, point);
  const executor = new Executor({ tools, ledger, artifacts, store: records });
  await reconcileOpen(ledger, tools);
  let shown: string | undefined;
  const loop = new AgentLoop({
    engine: scriptedEngine(({ messages }) => {
      shown = JSON.stringify(messages.map(withoutExecutionIds));
      return replyAfter(messages, given as number);
    }),
    tools,
    executor,
    journal,
    maxToolIterations: 10_000,
    trimResults: { keepTurns: 3, largerThan: 500, savingAtLeast: 2_000 },
  });
  const known = (await journal.header(RUN)) !== undefined;
  const outcome = await (known ? loop.resume(RUN) : loop.run("Count, and write it down.", { runId: RUN }))
    .outcome;
  await executor.drain();
  const recorded = new Set([...store.records.all()].map(({ executionId }) => executionId));
  const called = outcome.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const answer: LongRunAnswer = {
    status: outcome.status,
    transcript: outcome.messages.map(withoutExecutionIds),
    turns: outcome.turns,
    auditOk: store.records.verify().ok,
    unrecorded: called.filter(({ executionId }) => !recorded.has(executionId)).length,
    trimmed: outcome.trimmed,
    unreadable: referencesIn(shown ?? "").filter((id) => artifacts.read(id, 0, 1) === undefined).length,
    ...(shown !== undefined && { shown: createHash("sha256").update(shown).digest("hex") }),
  };
  store.close();
  return answer;
};

function referencesIn(shown: string): string[] {
  return Array.from(shown.matchAll(/read_result reads them: id \\"(\w+)\\"/g), ([, id = ""]) => id);
}

/** What the model says depends on the transcript alone, as with a real one at temperature 0. */
function replyAfter(messages: readonly Message[], turns: number) {
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  if (turn >= turns) return `Counted to ${turn}.`;
  const call = (index: number, name: string) => ({
    id: `call_${turn}_${index}`,
    name,
    arguments: { line: `turn ${turn}, ${index}` },
  });
  const names = ["write_line", "read_lines", "set_line", "write_line"].slice(0, 1 + (turn % 4));
  return { text: `Turn ${turn}.`, calls: names.map((name, index) => call(index, name)) };
}

function withoutExecutionIds(message: Message): unknown {
  if (message.role !== "tool") return message;
  return { ...message, results: message.results.map(({ executionId: _, ...result }) => result) };
}

const input = { type: "object", properties: { line: { type: "string" } }, required: ["line"] } as const;

function leaveMark(folder: string, point: CrashPoint, key: string, line: string): string {
  point("before the effect");
  appendFileSync(effectsFile(folder), `${JSON.stringify({ key, line })}\n`);
  point("after the effect");
  return `written: ${line}`;
}

export function writeLine(folder: string, point: CrashPoint) {
  return tool({
    name: "write_line",
    description: "Adds a line; must not happen twice",
    input,
    safety: { sideEffects: "write" },
    execute: ({ line }, { idempotencyKey }) => leaveMark(folder, point, idempotencyKey, line),
    reconcile: ({ line }, key) =>
      effectsIn(folder).some((effect) => effect.key === key)
        ? { outcome: "completed", value: `written: ${line}` }
        : { outcome: "never-ran" },
  });
}

function toolsOf(folder: string, point: CrashPoint) {
  return [
    writeLine(folder, point),
    tool({
      name: "set_line",
      description: "Sets a line; may happen twice",
      input,
      safety: { sideEffects: "write", idempotent: true },
      execute: async ({ line }, { idempotencyKey }) => leaveMark(folder, point, idempotencyKey, line),
    }),
    tool({
      name: "read_lines",
      description: "Reads",
      input,
      safety: { sideEffects: "read", idempotent: true },
      execute: ({ line }) => `read: ${line}`.padEnd(900, "."),
    }),
  ];
}

function effectsFile(folder: string): string {
  return join(folder, "effects");
}

export function effectsIn(folder: string): { key: string; line: string }[] {
  try {
    return readFileSync(effectsFile(folder), "utf8")
      .split("\n")
      .flatMap((text) => (text === "" ? [] : [JSON.parse(text)]));
  } catch {
    return [];
  }
}
