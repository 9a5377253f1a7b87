import { type ErrorCode, type Repair, ToolrigError, type Waiting } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import type { FinishReason, Usage } from "../model/engine.ts";
import type { FaultKind } from "../model/faults.ts";
import type { Message, UserMessage } from "../model/message.ts";
import type { Trimmed } from "./trim.ts";

/** Why a run ended without an answer, as plain data. */
export interface RunError {
  code: ErrorCode;
  message: string;
  /** The kind of model fault, with code `ENGINE_FAILED`. */
  fault?: FaultKind;
  details?: unknown;
}

/** What something thrown makes a run fail with. */
export function runErrorOf(thrown: unknown): RunError {
  const code = ToolrigError.isInstance(thrown) ? thrown.code : "ORCHESTRATION_FAILED";
  return { code, message: messageOf(thrown) };
}

interface RunSummary {
  runId: string;
  /** The last text the model gave: the answer, or what there was when the run ended. */
  text: string;
  /** The whole transcript, always valid to be sent again. */
  messages: readonly Message[];
  /** Tokens of all responses. */
  usage: Usage;
  /** Responses of the model. */
  turns: number;
  /** Calls the model made, whether or not they ran. */
  calls: number;
  /** What the model was spared of old, large results, where the loop trims them. */
  trimmed?: Trimmed;
  /** Steering and follow-up messages that came too late to be delivered. */
  undelivered: readonly UserMessage[];
}

/** How a run ended. Resolved, never thrown: every kind keeps the transcript and the last text. */
export type RunOutcome = RunSummary & Ending;

/** The model answered and had no more calls to make. */
export interface Answer {
  status: "answered";
  finishReason: FinishReason;
  /** What the answer means, when a schema was asked for, and what was changed in the text to read it. */
  value?: unknown;
  repairs?: Repair[];
}

/** A call of a run that is not over, with what it waits for. */
export interface WaitingCall {
  executionId: string;
  callId: string;
  /** Of the tool. */
  name: string;
  waiting: Waiting;
}

/** Why a run ended; the summary is added by the run. */
export type Ending =
  | Answer
  /** Every result of the last batch asked to end the run. */
  | { status: "terminated" }
  /** A hook or guard ended the run. */
  | { status: "stopped"; reason: string }
  /** The run is suspended, not over: `resume` goes on with it once what its calls wait for has come. */
  | { status: "waiting"; waits: readonly WaitingCall[] }
  | { status: "aborted"; error: RunError }
  | { status: "failed"; error: RunError };

/** The outcome of a run that came to something, or a thrown `ToolrigError` with the outcome in its details. */
export function orThrow<Outcome extends { status: string; error?: RunError }>(
  outcome: Outcome,
): Exclude<Outcome, { error: RunError }> {
  if (outcome.error === undefined) return outcome as Exclude<Outcome, { error: RunError }>;
  throw new ToolrigError(outcome.error.code, outcome.error.message, { details: outcome });
}
