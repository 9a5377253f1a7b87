import type { MaybePromise, RunHeader } from "@toolrig/core/kit";
import type { Message } from "../model/message.ts";
import { repairTranscript } from "../model/transcript.ts";
import { isDelegated } from "../run/flow.ts";
import type { Ending } from "../run/outcome.ts";
import type { Setup } from "../run/setup.ts";
import type { Nesting } from "../run/state.ts";
import { type UserInput, userMessage } from "../run/steering.ts";
import { drive } from "./drive.ts";
import { type RunOptions, runOptions } from "./options.ts";
import { LoopRun, type Task } from "./run.ts";

/** What every loop is made of. Loops that people see differ in what they put in here. */
export interface LoopCore {
  readonly setup: Setup;
  readonly kind: RunHeader["kind"];
  /** Has the last word on how a run ends. */
  conclude?(ending: Ending, messages: readonly Message[]): MaybePromise<Ending>;
}

/** Starts a run with a task, or with the next message of a conversation. */
export function startRun(
  core: LoopCore,
  input: UserInput,
  options: RunOptions = {},
  nesting?: Nesting,
): LoopRun {
  runOptions.check(options);
  const message = userMessage(input);
  const history = repairTranscript(options.messages ?? []).messages;
  const task: Task = {
    input,
    resumed: false,
    async carryOut(run, life) {
      await life.enter({ kind: core.kind, input });
      const delegated = isDelegated(core.setup.flow, life.trace);
      const said = delegated ? { ...message, said: "" } : message;
      run.adoptHistory(history);
      run.append(said);
      await run.write([...history, said].map((each) => ({ type: "message", turn: 0, message: each })));
      return drive(run);
    },
  };
  return launch(core, options, task, nesting);
}

export function launch(core: LoopCore, options: RunOptions, task: Task, nesting?: Nesting): LoopRun {
  if (core.conclude === undefined) return new LoopRun(core.setup, options, task, nesting);
  const { conclude } = core;
  const concluded: Task = {
    ...task,
    carryOut: async (run, life) => conclude(await task.carryOut(run, life), run.messages),
  };
  return new LoopRun(core.setup, options, concluded, nesting);
}
