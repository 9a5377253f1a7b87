import type { InferInput, Tool } from "@toolrig/core";
import type { SayOptions, UserInput } from "../run/steering.ts";
import { resumeWhenReady, type WhenReadyOptions } from "../run/when-ready.ts";
import { type LoopToolOptions, loopTool } from "./as-tool.ts";
import type { AgentLoopOptions, RunOptions } from "./options.ts";
import { forkRun, resumeRun } from "./resume.ts";
import type { Run } from "./run.ts";
import { setUp } from "./set-up.ts";
import { type LoopCore, startRun } from "./start.ts";

/**
 * Drives an engine and an executor until there is an answer. One loop serves any number of runs, also at the same time.
 *
 * @example
 * ```ts
 * import { AgentLoop, scriptedEngine } from "@toolrig/agent";
 * import { tool } from "@toolrig/core";
 *
 * const input = { type: "object", properties: { city: { type: "string" } } } as const;
 * const weather = tool({ name: "get_weather", description: "Weather", input, execute: () => "21 °C" });
 * const engine = scriptedEngine([
 *   { calls: [{ name: "get_weather", arguments: { city: "Rome" } }] },
 *   "It is 21 °C in Rome.",
 * ]);
 * const loop = new AgentLoop({ engine, tools: [weather] });
 * const { status, text } = await loop.run("How warm is it in Rome?").outcome;
 * console.log(status, text); //=> answered It is 21 °C in Rome.
 * ```
 */
export class AgentLoop {
  readonly #core: LoopCore;
  readonly #active = new Set<Run>();

  constructor(options: AgentLoopOptions) {
    this.#core = { setup: setUp(options), kind: "loop" };
  }

  /** Starts a run. Whatever becomes of it, its outcome resolves. */
  run(input: UserInput, options?: RunOptions): Run {
    return this.#keep(startRun(this.#core, input, options));
  }

  /**
   * Continues a run where its journal ends. Calls that were begun are submitted again under the same execution ids, so
   * that a ledger answers those that have happened. A run that had ended well is not continued.
   */
  resume(runId: string, options?: Omit<RunOptions, "runId" | "messages">): Run {
    return this.#keep(resumeRun(this.#core, runId, options));
  }

  /**
   * Resumes suspended runs of the journal by themselves, once all that they wait for has come, here or in another process. Of
   * many processes that do so, one resumes a run. Returns how to stop.
   */
  resumeWhenReady(options?: WhenReadyOptions<Run>): () => void {
    const { journal, toolset, clock } = this.#core.setup;
    const resume = (runId: string) => this.resume(runId);
    return resumeWhenReady<Run>(
      { journal, clock, kind: "loop", executor: toolset.executor, after: "every", resume },
      options,
    );
  }

  /** Starts a new run from another one's past up to and including a turn, and goes on with `input` if given. */
  fork(runId: string, turn: number, options?: Omit<RunOptions, "messages"> & { input?: UserInput }): Run {
    return this.#keep(forkRun(this.#core, runId, turn, options));
  }

  /**
   * A tool whose calls are runs of this loop, for another one. Such a run has the caller's principal, deadline and what is left
   * of its budgets, and what it has read comes back with its answer. With a journal, and a caller that is resumed, it is
   * resumed, too.
   */
  asTool<const Schema>(options: LoopToolOptions<Schema>): Tool<InferInput<Schema>, string> {
    return loopTool(this.#core, (run) => this.#keep(run), options);
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

  #keep<Started extends Run>(run: Started): Started {
    this.#active.add(run);
    void run.outcome.then(() => this.#active.delete(run));
    return run;
  }
}
