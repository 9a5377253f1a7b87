import type { Failure, FailureInput } from "../failure/failure.ts";
import type { ContentPart } from "./content.ts";
import { isContentPart, render } from "./content.ts";
import type { Decoded } from "./decoded.ts";
import type { Effect } from "./effects.ts";
import type { DataLabels } from "./labels.ts";
import type { Waiting } from "./waiting.ts";

/** What one call came to. Exactly one exists for every call, whatever happened. */
export interface ToolResult {
  callId: string;
  executionId: string;
  name: string;
  isError: boolean;
  /** For the model. */
  content: ContentPart[];
  /** For programs: what the tool returned, before it was rendered as content. */
  value?: unknown;
  /** For people. Never sent to the model. */
  details?: unknown;
  effects?: Effect[];
  /** Asks to end the run. A batch ends it only when all of its results ask; a failure never asks. */
  terminate?: boolean;
  /** A hook or guard ended the run, for this reason, whatever the other results say. */
  stop?: string;
  /** Remarks from guards for the model, also part of `content`. */
  advice?: string[];
  failure?: Failure;
  decoded: Decoded;
  /** How often the tool's code was started, by all processes that had the call. 0 when it never ran. */
  attempts: number;
  durationMs: number;
  /** The result of an earlier identical call was used. */
  cached?: boolean;
  /** The execution was over before this call came: its recorded result, and nothing ran now (`attempts` is 0). */
  replayed?: true;
  /** What is known of the data in the result; completed by the information-flow guard. */
  labels?: DataLabels;
  /** Content over the cap went to the artifact store under this id. */
  artifact?: string;
  /**
   * The call is not over: this is what it waits for. Only for callers who asked for it by `onWaiting: "return"`. The same call
   * under its execution id is answered with the result once there is one.
   */
  waiting?: Waiting;
  /** How much of `durationMs` it waited for the world, its code at rest. */
  waitedMs?: number;
}

/** The answer of a call that is not over. */
export interface WaitingResult extends ToolResult {
  waiting: Waiting;
}

/** Whether a call is not over: what it was answered with is no result. */
export function isWaiting(result: ToolResult): result is WaitingResult {
  return result.waiting !== undefined;
}

/** The parts of a result that a tool decides. */
export interface Outcome {
  content?: string | ContentPart[];
  value?: unknown;
  details?: unknown;
  effects?: Effect[];
  terminate?: boolean;
  isError?: boolean;
  /** What this answer holds, where that differs from call to call. Adds care to what the tool declares, never takes it. */
  labels?: DataLabels;
}

/** What a tool itself may answer: also that it failed, and why. */
interface ToolOutcome extends Outcome {
  /** Details, effects, labels and value are those of the outcome, and so is content; without content it is made from the failure. */
  failure?: FailureInput;
}

const OUTCOME_MARK = Symbol.for("toolrig.outcome");

/** An outcome made by `result` or `success`, as opposed to data that happens to look like one. */
export interface MarkedOutcome extends ToolOutcome {
  readonly [OUTCOME_MARK]: true;
}

/**
 * Full control over what a tool answers: content for the model, details for people, effects, terminate, or a failure.
 *
 * @example
 * ```ts
 * import { Executor, result, tool } from "@toolrig/core";
 *
 * const readLog = tool({
 *   name: "read_log",
 *   description: "Read the log of a service",
 *   input: { type: "object" },
 *   execute: () => result({ content: "3 errors", details: { lines: 1_200 } }),
 * });
 * const executor = new Executor({ tools: [readLog] });
 * const { content, details } = await executor.call({ id: "call_1", name: "read_log" });
 * console.log(content, details); //=> [ { type: 'text', text: '3 errors' } ] { lines: 1200 }
 * ```
 */
export function result(outcome: ToolOutcome): MarkedOutcome {
  return { ...outcome, [OUTCOME_MARK]: true };
}

/**
 * A successful outcome with `value` as its content. The same as returning the value, with room for the rest.
 *
 * @example
 * ```ts
 * import { Executor, success, tool } from "@toolrig/core";
 *
 * const saveNote = tool({
 *   name: "save_note",
 *   description: "Save a note",
 *   input: { type: "object" },
 *   execute: () => success({ id: 7 }, { effects: [{ type: "file", path: "7.md", op: "create" }] }),
 * });
 * const executor = new Executor({ tools: [saveNote] });
 * const { value, effects } = await executor.call({ id: "call_1", name: "save_note" });
 * console.log(value, effects?.length); //=> { id: 7 } 1
 * ```
 */
export function success(
  value?: unknown,
  rest: Omit<Outcome, "content" | "value" | "isError"> = {},
): MarkedOutcome {
  return result({ ...rest, value, content: render(value) });
}

export function isOutcome(value: unknown): value is MarkedOutcome {
  return (
    typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[OUTCOME_MARK] === true
  );
}

/** Content as a tool or hook gave it. What is not a content part becomes text, so that the shape can be relied on. */
export function contentOf(content: unknown): ContentPart[] {
  if (!Array.isArray(content)) return render(content);
  return content.flatMap((part: unknown) => (isContentPart(part) ? part : render(part)));
}
