import type { Hooks, ToolList, ToolResult, ToolSource } from "@toolrig/core";
import { declareOptions, hooksOptions, type MaybePromise, type OptionTable, option } from "@toolrig/core/kit";
import type { Engine, EngineRequest } from "../model/engine.ts";
import type { AssistantMessage, Message } from "../model/message.ts";
import type { UserInput } from "./steering.ts";

export interface TurnInput {
  readonly runId: string;
  /** 1 for the first response of the run. */
  readonly turn: number;
  /** The transcript, not to be changed. */
  readonly messages: readonly Message[];
}

/** What a turn does differently. Everything but `messages` stays so until it is changed again. */
export interface TurnChanges {
  engine?: Engine;
  system?: string;
  /** Names of the tools that may be called, other tools altogether, or null for the loop's own again. */
  tools?: readonly string[] | ToolSource | ToolList | null;
  /** Null for none. */
  responseFormat?: EngineRequest["responseFormat"] | null;
  /** What the model is shown in this turn in place of the transcript. */
  messages?: readonly Message[];
}

export interface AnswerInput extends TurnInput {
  readonly message: AssistantMessage;
  readonly text: string;
}

export interface ResultsInput extends TurnInput {
  readonly message: AssistantMessage;
  readonly results: readonly ToolResult[];
}

/**
 * Functions at the joints of a run, called one at a time. `beforeCall` and `afterCall` are the executor's. One that
 * throws fails the run, with its transcript kept.
 */
export interface LoopHooks extends Hooks {
  /** Before a response is asked for. */
  prepareTurn?(input: TurnInput): MaybePromise<TurnChanges | undefined>;
  /**
   * What the model is shown in place of the transcript: windowing, summaries, reminders. Nothing of it is kept. Of a loop that
   * trims results it gets what is trimmed.
   */
  transformContext?(input: TurnInput): MaybePromise<readonly Message[]>;
  /** After the results of a turn: true or a reason ends the run. */
  shouldStop?(input: ResultsInput): MaybePromise<boolean | string>;
  /** When the model has answered: a message to go on with, or nothing to end the run. */
  onAnswer?(input: AnswerInput): MaybePromise<UserInput | undefined>;
}

export const loopHooks = declareOptions("hooks", {
  ...hooksOptions.table,
  prepareTurn: option.callback(),
  transformContext: option.callback(),
  shouldStop: option.callback(),
  onAnswer: option.callback(),
} satisfies OptionTable<LoopHooks>);
