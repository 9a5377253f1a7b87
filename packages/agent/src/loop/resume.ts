import { ToolrigError } from "@toolrig/core";
import { check, type Journal, type JournalEntry, type RunHeader } from "@toolrig/core/kit";
import { holdCall } from "../calls/hold-call.ts";
import { type Recorded, replay } from "../run/journal.ts";
import { openAmong } from "../run/open-waits.ts";
import type { Ending } from "../run/outcome.ts";
import type { Nesting, RunState } from "../run/state.ts";
import { type UserInput, userMessage } from "../run/steering.ts";
import { drive, endTurn, takeCalls } from "./drive.ts";
import { type RunOptions, runOptions } from "./options.ts";
import type { LoopRun, Task } from "./run.ts";
import { type LoopCore, launch } from "./start.ts";

/**
 * Continues a run where its journal ends. Calls that were begun are submitted again under the same execution ids, so
 * that a ledger answers those that have happened. A run that had ended well is not continued.
 */
export function resumeRun(
  core: LoopCore,
  runId: string,
  options: Omit<RunOptions, "runId" | "messages"> = {},
  nesting?: Nesting,
): LoopRun {
  const journal = journalOf(core);
  runOptions.check(options);
  const task: Task = {
    input: undefined,
    resumed: true,
    async carryOut(run, life) {
      const { header, entries } = await pastOf(journal, runId);
      await life.takeUp(header, entries);
      const recorded = replay(entries);
      run.restore(recorded);
      if (run.messages.length === 0) await run.say([userMessage(header.input as UserInput)]);
      return endedWell(recorded.end) ?? (await stillWaiting(run, recorded)) ?? takeUp(run, recorded);
    },
  };
  return launch(core, { ...options, runId }, task, nesting);
}

/** Starts a new run from another one's past up to and including a turn, and goes on with `input` if given. */
export function forkRun(
  core: LoopCore,
  runId: string,
  turn: number,
  { input, ...options }: Omit<RunOptions, "messages"> & { input?: UserInput } = {},
): LoopRun {
  const journal = journalOf(core);
  runOptions.check(options);
  return launch(core, options, {
    input,
    resumed: false,
    async carryOut(run, life) {
      const { header, entries } = await pastOf(journal, runId);
      life.inherit(header, entries);
      const past = entries.filter((entry) => "turn" in entry && entry.turn <= turn);
      await life.enter({ kind: core.kind, input: input ?? header.input, forkedFrom: { runId, turn } });
      await run.write(past);
      const recorded = replay(past);
      run.restore(recorded);
      if (input === undefined) return continueRun(run, recorded);
      const ending = await finishTurn(run, recorded.open);
      if (ending !== undefined) return ending;
      await run.say([userMessage(input)]);
      return drive(run);
    },
  });
}

function journalOf({ setup: { journal } }: LoopCore): Journal {
  if (journal === undefined) throw check.invalid("journal", "given to resume or fork a run", undefined);
  return journal;
}

async function pastOf(
  journal: Journal,
  runId: string,
): Promise<{ header: RunHeader; entries: readonly JournalEntry[] }> {
  const header = await journal.header(runId);
  if (header === undefined) throw new ToolrigError("STORE_FAILED", `Run ${runId} is not in the journal.`);
  return { header, entries: await journal.entries(runId) };
}

/** Of two processes that go on with a run at once, one is refused here, before anything has begun. */
async function takeUp(run: RunState, recorded: Recorded): Promise<Ending> {
  await run.write([{ type: "resumed" }]);
  return continueRun(run, recorded);
}

async function continueRun(run: RunState, { open, out, messages }: Recorded): Promise<Ending> {
  for (const call of out.values()) holdCall(run, call);
  const last = messages.at(-1);
  if (open !== undefined || last?.role !== "assistant") return (await finishTurn(run, open)) ?? drive(run);
  if (last.finishReason === "aborted" || last.finishReason === "pause")
    return (await finishTurn(run, open)) ?? drive(run);
  return out.size > 0 ? drive(run, true) : { status: "answered", finishReason: last.finishReason };
}

/** A batch goes on when all of it can, so that its results and hooks come in order. Until then nothing is called. */
async function stillWaiting(run: RunState, { waits }: Recorded): Promise<Ending | undefined> {
  const { setup, settings } = run;
  if (setup.onWaiting !== "return" || waits.length === 0) return undefined;
  const open = await openAmong(settings.executor, waits, setup.clock);
  return open.length === 0 ? undefined : { status: "waiting", waits: open };
}

/** Answers the calls that were open when the journal ends, and with them the turn. */
async function finishTurn(run: RunState, open: Recorded["open"]): Promise<Ending | undefined> {
  if (open === undefined) return undefined;
  const { message, calls, executionIds, results } = open;
  run.events.emit({ type: "turn.start", turn: run.turn, engine: run.settings.engine.name, tools: 0 });
  const ending = await takeCalls(run, message, calls, { executionIds, results });
  endTurn(run, message, calls.length);
  return ending;
}

/** A run that was aborted or failed can go on; one that came to its end stays there. */
function endedWell(end: unknown): Ending | undefined {
  const ending = end as Ending | undefined;
  return ending === undefined || ending.status === "aborted" || ending.status === "failed"
    ? undefined
    : ending;
}
