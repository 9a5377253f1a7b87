import { join } from "node:path";
import { AgentLoop, type Message, type RunOutcome, scriptedEngine } from "@toolrig/agent";
import { Executor, reconcileOpen } from "@toolrig/core";
import { type CrashScenario, crashableJournal, crashableLedger, slowly } from "@toolrig/core/testing";
import { openStore } from "@toolrig/store";
import { SLOW_MS } from "../crash/sites.ts";
import { writeLine } from "./long-run.ts";

const RUN = "run_outer";

/** What is written in all: four lines by the run within, and one by the run around it. */
export const LINES = ["within 1", "within 2", "within 3", "within 4", "without"];

export interface NestedAnswer {
  status: RunOutcome["status"];
  /** What the model was told of each call. */
  results: unknown[];
  runs: number;
  /** Of which budget the run was just within, with what the run within took. */
  text: string;
}

/** A run with a call that is a run, begun or taken up wherever its journal ends. */
export const scenario: CrashScenario = async ({ folder, point }) => {
  const store = openStore(join(folder, "rig.db"));
  const writing = slowly(SLOW_MS, point);
  const journal = crashableJournal(store.journal, writing);
  const ledger = crashableLedger(store.ledger, writing);
  const write = writeLine(folder, point);
  const within = new AgentLoop({
    engine: scriptedEngine(({ messages }) => next(messages, LINES.slice(0, 4), "Four lines.")),
    tools: [write],
    executor: { ledger, artifacts: store.artifacts, store: store.records },
    journal,
  });
  const input = { type: "object", properties: { task: { type: "string" } }, required: ["task"] } as const;
  const delegate = within.asTool({ name: "delegate", description: "Have lines written", input });
  const tools = [delegate, write];
  const executor = new Executor({ tools, ledger, store: store.records });
  await reconcileOpen(ledger, tools);
  const loop = new AgentLoop({
    engine: scriptedEngine(({ messages }) =>
      messages.length === 1
        ? { calls: [{ id: "d", name: "delegate", arguments: { task: "Write four lines." } }] }
        : next(messages.slice(2), LINES.slice(4), "Done."),
    ),
    tools,
    executor,
    journal,
    budgets: { calls: LINES.length + 1 },
  });
  const known = (await journal.header(RUN)) !== undefined;
  const { status, messages, text } = await (known ? loop.resume(RUN) : loop.run("Go.", { runId: RUN }))
    .outcome;
  await executor.drain();
  const results = messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => content) : [],
  );
  const answer: NestedAnswer = { status, results, runs: store.journal.runs().length, text };
  store.close();
  return answer;
};

/** One line after the other, by the transcript alone, then the answer. */
function next(messages: readonly Message[], lines: readonly string[], answer: string) {
  const line = lines[messages.filter(({ role }) => role === "assistant").length];
  return line === undefined ? answer : { calls: [{ id: line, name: "write_line", arguments: { line } }] };
}
