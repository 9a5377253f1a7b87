import { ToolrigError } from "@toolrig/core";
import type { JournalEntry, MaybePromise, RunHeader } from "@toolrig/core/kit";
import { check } from "@toolrig/core/kit";
import type { Message } from "../model/message.ts";
import { repairTranscript } from "../model/transcript.ts";
import { type Recorded, replay } from "../run/journal.ts";
import type { Ending } from "../run/outcome.ts";
import type { LoopTools, Setup } from "../run/setup.ts";
import { type SayOptions, type UserInput, userMessage } from "../run/steering.ts";
import { drive, endTurn, takeCalls } from "./drive.ts";
import type { AgentLoopOptions, RunOptions } from "./options.ts";
import { LoopRun, type Run } from "./run.ts";
import { setUp } from "./set-up.ts";

/** What a loop that is made of this one does differently. */
interface Variation {
  kind?: RunHeader["kind"];
  tools?: LoopTools;
  /** Has the last word on how a run ends. */
  conclude?(ending: Ending, messages: readonly Message[]): MaybePromise<Ending>;
}

/**
 * Drives an engine and an executor until there is an answer. One loop serves any number of runs, also at the same time.
 */
export class AgentLoop {
  readonly #setup: Setup;
  readonly #active = new Set<LoopRun>();
  readonly #kind: RunHeader["kind"];
  readonly #conclude: Variation["conclude"];

  /** `variation` is for loops that are made of this one. */
  constructor(options: AgentLoopOptions, variation: Variation = {}) {
    this.#setup = setUp(options, variation.tools);
    this.#kind = variation.kind ?? "loop";
    this.#conclude = variation.conclude;
  }

  /** Starts a run. Whatever becomes of it, its outcome resolves. */
  run(input: UserInput, options: RunOptions = {}): Run {
    const message = userMessage(input);
    const history = repairTranscript(options.messages ?? []).messages;
    return this.#start(options, input, false, async (run) => {
      await this.#begin(run, { input });
      run.adopt(history);
      run.append(message);
      await run.write([...history, message].map((each) => ({ type: "message", turn: 0, message: each })));
      return drive(run);
    });
  }

  /**
   * Continues a run where its journal ends. Calls that were begun are submitted again under the same execution ids, so
   * that a ledger answers those that have happened. A run that had ended well is not continued.
   */
  resume(runId: string, options: Omit<RunOptions, "runId" | "messages"> = {}): Run {
    this.#requireJournal();
    return this.#start({ ...options, runId }, undefined, true, async (run) => {
      const { header, entries } = await this.#read(runId);
      run.writer.continueAfter(entries.length);
      const recorded = replay(entries);
      restore(run, recorded);
      if (run.messages.length === 0) await run.say([userMessage(header.input as UserInput)]);
      return endedWell(recorded.end) ?? continueRun(run, recorded);
    });
  }

  /** Starts a new run from another one's past up to and including a turn, and goes on with `input` if given. */
  fork(runId: string, turn: number, options: Omit<RunOptions, "messages"> & { input?: UserInput } = {}): Run {
    this.#requireJournal();
    const { input, ...rest } = options;
    return this.#start(rest, input, false, async (run) => {
      const { header, entries } = await this.#read(runId);
      const past = entries.filter((entry) => "turn" in entry && entry.turn <= turn);
      await this.#begin(run, { input: input ?? header.input, forkedFrom: { runId, turn } });
      await run.write(past);
      const recorded = replay(past);
      restore(run, recorded);
      if (input === undefined) return continueRun(run, recorded);
      const ending = recorded.open === undefined ? undefined : await takeOpen(run, recorded.open);
      if (ending !== undefined) return ending;
      await run.say([userMessage(input)]);
      return drive(run);
    });
  }

  /** Tells every run that is under way. */
  steer(input: UserInput, options?: SayOptions): void {
    for (const run of this.#active) run.steer(input, options);
  }

  followUp(input: UserInput, options?: SayOptions): void {
    for (const run of this.#active) run.followUp(input, options);
  }

  abort(reason?: string): void {
    for (const run of this.#active) run.abort(reason);
  }

  #start(
    options: RunOptions,
    input: unknown,
    resumed: boolean,
    live: (run: LoopRun) => Promise<Ending>,
  ): LoopRun {
    const conclude = this.#conclude;
    const run = new LoopRun(this.#setup, options, {
      input,
      resumed,
      live: conclude === undefined ? live : async (each) => conclude(await live(each), each.messages),
    });
    this.#active.add(run);
    void run.outcome.then(() => this.#active.delete(run));
    return run;
  }

  async #begin(run: LoopRun, about: Pick<RunHeader, "input" | "forkedFrom">): Promise<void> {
    const { journal, clock } = this.#setup;
    const { runId, requestId } = run.trace;
    await journal?.begin({ runId, requestId, kind: this.#kind, startedAt: clock.now(), ...about });
  }

  async #read(runId: string): Promise<{ header: RunHeader; entries: readonly JournalEntry[] }> {
    const journal = this.#setup.journal!;
    const header = await journal.header(runId);
    if (header === undefined) throw new ToolrigError("STORE_FAILED", `Run ${runId} is not in the journal.`);
    return { header, entries: await journal.entries(runId) };
  }

  #requireJournal(): void {
    if (this.#setup.journal === undefined)
      throw check.invalid("journal", "given to resume or fork a run", undefined);
  }
}

function restore(run: LoopRun, { messages, turn, rounds, calls }: Recorded): void {
  run.turn = turn;
  run.rounds = rounds;
  run.calls = calls;
  run.callsRun = calls;
  run.adopt(messages);
  for (const message of messages) if (message.role === "assistant") run.recall(message);
}

async function continueRun(run: LoopRun, { open, messages }: Recorded): Promise<Ending> {
  if (open !== undefined) {
    const ending = await takeOpen(run, open);
    if (ending !== undefined) return ending;
    return drive(run);
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.finishReason === "aborted") return drive(run);
  return { status: "answered", finishReason: last.finishReason };
}

/** Finishes the turn in which the journal ends. */
async function takeOpen(run: LoopRun, open: NonNullable<Recorded["open"]>): Promise<Ending | undefined> {
  const { message, calls, executionIds } = open;
  run.calls -= calls.length;
  run.callsRun -= calls.length;
  run.events.emit({ type: "turn.start", turn: run.turn, engine: run.engine.name, tools: 0 });
  const ending = await takeCalls(run, message, calls, executionIds);
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
