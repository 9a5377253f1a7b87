import type { ToolResult } from "../../call/result.ts";
import { snapshot } from "../../copy.ts";
import type { FailureInput } from "../../failure/failure.ts";
import { formatDuration, parseDuration } from "../../options/duration.ts";
import { messageOf } from "../../plain.ts";
import { hasSideEffects, mayRepeat } from "../../tool/safety.ts";
import type { Resolved } from "../execution.ts";
import type { AttemptContext } from "./context.ts";

/** The limit of one attempt, in milliseconds. */
export function timeoutOf({ tool, services, options }: Resolved): number {
  const limitMs = tool.timeoutMs ?? services.timeoutMs;
  return options.timeout === undefined
    ? limitMs
    : Math.min(limitMs, parseDuration(options.timeout, "timeout"));
}

/** A limit that an attempt has passed, and by how many milliseconds. */
export interface Breach {
  limit: "absolute" | "idle";
  ms: number;
  overMs: number;
}

/** A limit that an attempt which was never at rest has passed. */
export function breachOf(execution: Resolved, { activeAt }: AttemptContext, now: number): Breach | undefined {
  const ms = timeoutOf(execution);
  const overMs = now - execution.attemptedAt - ms;
  if (overMs > 0) return { limit: "absolute", ms, overMs };
  const { idleTimeoutMs } = execution.tool;
  if (idleTimeoutMs === undefined || now - activeAt <= idleTimeoutMs) return undefined;
  return { limit: "idle", ms: idleTimeoutMs, overMs: now - activeAt - idleTimeoutMs };
}

/** The failure of a synchronous tool that returned or threw after a limit; undefined when it was in time. */
export function tooLate(
  execution: Resolved,
  context: AttemptContext,
  isError: boolean,
  what: unknown,
): ToolResult | undefined {
  const breach = breachOf(execution, context, execution.endedAt);
  if (breach === undefined) return undefined;
  const result = execution.failed(timeoutFailure(execution, breach.ms, breach.limit));
  tellLate(
    execution,
    breach.overMs,
    isError ? { isError, message: messageOf(what) } : { isError, value: what },
  );
  return result;
}

/** What a tool gave after its limit. */
export interface Late {
  isError: boolean;
  value?: unknown;
  message?: string;
}

/** Reports what came late, as evidence. */
export function tellLate(execution: Resolved, afterMs: number, what: Late): void {
  const { counters, memo } = execution.services;
  counters.late += 1;
  if (hasSideEffects(execution.tool.safety)) memo.writeAttempted();
  execution.emit({ type: "call.late", afterMs, ...snapshot(what) });
}

export function timeoutFailure(execution: Resolved, ms: number, limit: "absolute" | "idle"): FailureInput {
  const { tool } = execution;
  const what =
    limit === "idle"
      ? `reported nothing for ${formatDuration(ms)}`
      : `took longer than ${formatDuration(ms)}`;
  return {
    code: "TOOL_TIMEOUT",
    message: `${tool.name} ${what} and was given up.${mayHaveHappened(execution)}`,
    retryable: mayRepeat(execution.did ?? tool.safety),
    details: { limit, timeoutMs: ms },
  };
}

export function cancelledFailure(execution: Resolved): FailureInput {
  return {
    code: "TOOL_CANCELLED",
    message: `The call was cancelled while ${execution.tool.name} ran.${mayHaveHappened(execution)}`,
  };
}

function mayHaveHappened({ tool, did }: Resolved): string {
  return hasSideEffects(did ?? tool.safety)
    ? " What it does may have happened; verify before you try again."
    : "";
}
