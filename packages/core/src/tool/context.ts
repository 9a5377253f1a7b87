import type { CallingLoop } from "../call/calling-loop.ts";
import type { Effect } from "../call/effects.ts";
import type { DataLabels } from "../call/labels.ts";
import type { Principal } from "../call/principal.ts";
import type { LogLevel, ProgressUpdate } from "../call/progress.ts";
import type { ToolResult } from "../call/result.ts";
import type { TraceCarrier } from "../call/trace.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import { abortSignal, anything, count, duration, object, oneOf, text } from "../options/kinds.ts";
import type { InferInput } from "../schema/infer.ts";

/** What a running tool knows of its call, and what it can do besides returning. */
export interface ToolContext {
  /** Aborts when the caller cancels or a deadline passes. */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly callId: string;
  /** The same for every attempt of this execution, also after a restart. Pass it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** 1 for the first try. In a fleet each worker counts from 1: `idempotencyKey` tells what another may have begun. */
  readonly attempt: number;
  readonly runId: string | undefined;
  readonly requestId: string | undefined;
  readonly stepName: string | undefined;
  readonly principal: Principal | undefined;
  /** Where calls are traced: the headers with which a service that the tool asks goes on with the trace. */
  readonly trace: TraceCarrier | undefined;
  /** The loop of another framework that makes the call, if one does in this process. */
  readonly loop: CallingLoop | undefined;
  /** What the run has read so far, where a guard follows that. A tool that can go on elsewhere keeps it, and gives it as `labels` there. */
  readonly read: DataLabels | undefined;
  /** Characters of text that the model is shown of a result. A tool that gives pages keeps each within it, so that none is cut. */
  readonly maxContent: number;
  /** The executor's `timeout` in milliseconds, where it was given. Undefined: the executor leaves the limit to the tool. */
  readonly timeoutMs: number | undefined;
  readonly log: Readonly<Record<LogLevel, (message: string, data?: unknown) => void>>;
  /** Reports progress and resets the idle deadline. Ignored once the call has ended. */
  update(update: ProgressUpdate | string): void;
  /** Records what the tool changed, at the moment it did, so that it is known even if the call then fails. */
  effect(effect: Effect): void;
  /**
   * Reads output of an earlier call that was over the cap, from one character to another. Undefined when nothing is kept under
   * this id.
   */
  readOutput(id: string, from: number, to: number): Promise<KeptOutput | undefined>;
  /** Calls another tool through the same pipeline, as a child of this call. */
  call(name: string, args: unknown, options?: NestedCallOptions): Promise<ToolResult>;
  /** Whether whoever made the call waits for its result, however long that takes. */
  readonly held: boolean;
  /** Who has it may complete this call once it is deferred, and report its progress. Made when it is first read. */
  readonly token: string;
  /**
   * Asks the person behind the run. The deadline stands still meanwhile. After a crash, and when the run was suspended, the tool
   * is started again and gets the answers that it had: so it asks before it changes anything, or says with `effect` what it
   * has changed. A tool that is not idempotent and has reported an effect is not started again.
   */
  ask<const Schema = undefined>(question: Question<Schema>): Promise<QuestionAnswer<Schema>>;
}

/** A part of output that was over the cap. */
interface KeptOutput {
  text: string;
  /** Of the whole, in characters. */
  length: number;
  /** What is known of the whole. Absent if nothing was said about it. */
  labels?: DataLabels;
}

/** How a tool calls another: for tools that run what others wrote, and can go on where they were. */
export interface NestedCallOptions {
  /**
   * "return": a call that waits is answered with what it waits for (`result.waiting`), and made again when that has ended.
   * Default "hold".
   */
  onWaiting?: "hold" | "return";
  /**
   * Which of several same calls it is, from 1: with the tool and the arguments it makes the id under which the call is known
   * when it is made again. Default: counted in this attempt.
   */
  nth?: number;
  /** Cancels the call, as the end of the tool's own does. */
  signal?: AbortSignal;
  /** Default "tool". */
  source?: "tool" | "script";
  /** What is known of data that the tool has read by other ways than calls of this attempt. */
  labels?: DataLabels;
}

export const nestedCallOptions = declareOptions("a nested call", {
  onWaiting: oneOf(["hold", "return"], { default: "hold" }),
  nth: count(),
  signal: abortSignal(),
  source: oneOf(["tool", "script"], { default: "tool" }),
  labels: object("labels of data"),
} satisfies OptionTable<NestedCallOptions>);

/** Structured input from a person. */
export interface Question<Schema = unknown> {
  message: string;
  /** Of the answer: any schema that a tool's input may have. Absent: text. */
  schema?: Schema;
  /** Then it counts as cancelled. Default "24h". */
  expires?: Duration;
}

export const questionOptions = declareOptions("a question", {
  message: text({ required: true }),
  schema: anything("a schema of the answer"),
  expires: duration(),
} satisfies OptionTable<Question>);

export type QuestionAnswer<Schema = unknown> =
  | { status: "answered"; value: Schema extends undefined ? string : InferInput<Schema> }
  | { status: "declined"; reason?: string }
  /** Nobody will answer: the question expired, or somebody took it back. */
  | { status: "cancelled"; reason?: string };

/** What `check` and `cancel` know of the call that waits. */
export interface WaitContext {
  /** Aborts when the check takes too long or the process stops. */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly callId: string;
  readonly runId: string | undefined;
  readonly principal: Principal | undefined;
  /** The arguments of the call. */
  readonly args: unknown;
  /** How often it was checked before. */
  readonly checks: number;
  update(update: ProgressUpdate | string): void;
  /**
   * Asks the person behind the run, and does not wait: undefined while nobody has answered, and then the answer, to whoever asks
   * the same. `check` is called soon after an answer. Questions that are open when the call is over are taken back.
   */
  ask<const Schema = undefined>(question: Question<Schema>): Promise<QuestionAnswer<Schema> | undefined>;
}
