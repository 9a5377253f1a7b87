import type { FailureInput } from "../failure/failure.ts";
import { declareOptions, type OptionTable, omitOptions } from "../options/declare-options.ts";
import type { Duration } from "../options/duration.ts";
import {
  abortSignal,
  callback,
  duration,
  flag,
  text as id,
  listOf,
  object,
  oneOf,
  part,
  strings,
} from "../options/kinds.ts";
import type { CallBatch } from "./call-batch.ts";
import type { CallingLoop } from "./calling-loop.ts";
import type { OnWaiting } from "./on-waiting.ts";
import { type Principal, principalOption } from "./principal.ts";
import type { ProgressUpdate } from "./progress.ts";
import { type TraceCarrier, traceOption } from "./trace.ts";

/** What the model asked for. */
export interface ToolCall {
  /** The provider's id. Not unique: providers repeat them. */
  id: string;
  name: string;
  /** The argument text as the model wrote it, or an object where a provider parsed it. Absent means none. */
  arguments?: unknown;
  /** A version range: "^1.2", "2.x". Default: the newest. */
  version?: string;
}

export const CALL_SOURCES = ["model", "extracted", "script", "tool", "mcp", "http", "cli", "remote"] as const;

/** Where a call came from. "extracted" means it was found in prose, and runs with side effects only when approved. */
export type CallSource = (typeof CALL_SOURCES)[number];

/** Why whoever makes a call has decided that it must not run. */
export interface Refusal extends FailureInput {
  /** Running is what is refused: an answer that is remembered is given all the same. */
  unlessRemembered?: boolean;
}

export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Limit of one attempt. It can shorten the limit that the tool or the executor sets, not lengthen it. */
  timeout?: Duration;
  /** False when the model was cut off: arguments are partial, and a tool that writes does not run. Default true. */
  complete?: boolean;
  /** Default "model". */
  source?: CallSource;
  runId?: string;
  requestId?: string;
  stepName?: string;
  /** The run or execution that the run of this call is part of. A call that a tool makes is part of the tool's. */
  parentId?: string;
  principal?: Principal;
  /** The trace that the call is part of, where it comes from another process. Kept with a call that waits. */
  trace?: TraceCarrier;
  /**
   * Names of tools and providers that the call, and whatever its tool calls, may use; others are not there for it. It narrows what
   * the executor allows. Kept with a call that waits. Empty or absent: whatever the executor allows.
   */
  allow?: readonly string[];
  /** Continues an execution that was begun before: its recorded result is returned instead of running it again. */
  executionId?: string;
  /**
   * What happens to a call that waits for an approval, an answer or a result from elsewhere: it is held until that has come, or
   * answered at once with what it waits for (`result.waiting`). Whoever gets that with "return" comes back for it; with "continue"
   * it goes on by itself ("leave" is an earlier word for that). Default "hold".
   */
  onWaiting?: OnWaiting | "leave";
  /**
   * Asked once the call is allowed to run, by everybody who was asked about it: it runs when this resolves, and is cancelled when
   * it rejects. For whoever learns only then whether it may. Local executors only (`asksBeforeRun`).
   */
  beforeRun?: () => Promise<unknown>;
  /** Told what the tool tells while it runs; what it throws is nobody's. Local executors only (`asksBeforeRun`). */
  onUpdate?: (update: ProgressUpdate) => void;
  /**
   * Brings what was read of the arguments into the tool's own shape, where the model was told of another. On record is what it
   * wrote. Local executors only (`asksBeforeRun`).
   */
  reshape?: (args: unknown, call: ToolCall) => unknown;
  /**
   * The batch that the call joins, for calls that arrive one at a time: those given the same one are judged in order of arrival, and
   * a guard's `stop` holds back those after it.
   */
  batch?: CallBatch;
  /**
   * The loop of another framework that makes the call: handed to the tool, and to those that the tool calls, as `ctx.loop`. Never
   * recorded, kept or sent, so a call that another process goes on with has none.
   */
  loop?: CallingLoop;
  /** The call does not run. It is announced, answered with this failure and recorded like any other. */
  refusal?: Refusal | undefined;
}

export const callOptions = declareOptions("a call", {
  signal: abortSignal(),
  timeout: duration({ aliases: ["timeoutMs"] }),
  complete: flag({ default: true }),
  source: oneOf(CALL_SOURCES, { default: "model" }),
  runId: id(),
  requestId: id(),
  stepName: id(),
  parentId: id(),
  principal: principalOption(),
  trace: traceOption(),
  allow: strings("a list of names of tools and providers"),
  executionId: id({ aliases: ["idempotencyKey"] }),
  onWaiting: oneOf(["hold", "return", "continue", "leave"], { default: "hold" }),
  beforeRun: callback(),
  onUpdate: callback(),
  reshape: callback(),
  batch: part("a CallBatch", ["run"]),
  loop: object("{ name, context, outputs }"),
  refusal: object("a failure, such as { code, message }"),
} satisfies OptionTable<CallOptions>);

export interface BatchOptions
  extends Omit<CallOptions, "executionId" | "refusal" | "beforeRun" | "onUpdate" | "batch" | "loop"> {
  /** Default: the executor's. */
  mode?: "parallel" | "sequential";
  /** Execution ids to continue, by position. */
  executionIds?: readonly (string | undefined)[];
  /** Why calls must not run, by position. Those of an executor that `refuses` only. */
  refusals?: readonly (Refusal | undefined)[];
  /** In the place of `signal`, by position: what ends one of the calls and not the others. */
  signals?: readonly (AbortSignal | undefined)[];
}

export const batchOptions = declareOptions("a batch", {
  ...omitOptions(callOptions, "executionId", "refusal", "beforeRun", "onUpdate", "batch", "loop"),
  mode: oneOf(["parallel", "sequential"]),
  executionIds: listOf("a list of execution ids", id(), { gaps: true }),
  refusals: listOf("a list of failures", object("a failure, such as { code, message }"), { gaps: true }),
  signals: listOf("a list of AbortSignals", abortSignal(), { gaps: true }),
} satisfies OptionTable<BatchOptions>);
