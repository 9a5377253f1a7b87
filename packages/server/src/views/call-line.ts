import type { Failure, Redactor, ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { StoredRecord } from "@toolrig/store";
import type { CallLine, CallState } from "../wire.ts";
import { blameOf } from "./blame.ts";
import { excerptOf, gistOf } from "./gist.ts";

/** Of a call that is over: nothing of it changes any more. */
export const FINAL = 1_000_000_000;

const MAX_MESSAGE = 300;

/** How a call stands, by its result. */
export function stateOf({
  isError,
  failure,
  waiting,
}: Pick<ToolResult, "isError" | "failure" | "waiting">): CallState {
  if (waiting !== undefined) return "waiting";
  if (!isError) return "ok";
  return failure !== undefined && isInDoubt(failure) ? "unknown" : "failed";
}

/** Also what was given up while it ran, of a tool that may not run twice: only of others a timeout may be tried again. */
function isInDoubt({ kind, retryable }: Failure): boolean {
  return kind === "unknown" || (kind === "timeout" && !retryable);
}

export function failureLine(
  { kind, code, message }: Failure,
  redactor: Redactor,
): NonNullable<CallLine["failure"]> {
  return { kind, code, message: excerptOf(message, MAX_MESSAGE, redactor), blame: blameOf(kind) };
}

/** The strongest of what guards decided. */
export function verdictOf(verdicts: readonly { verdict: string }[]): CallLine["verdict"] {
  const names = new Set(verdicts.map(({ verdict }) => verdict));
  if (names.has("deny") || names.has("stop")) return "denied";
  if (names.has("ask")) return "asked";
  return names.has("rewrite") ? "rewrote" : undefined;
}

/** A call as it was recorded, on one line. */
export function lineOfRecord(record: StoredRecord, redactor: Redactor): CallLine {
  const { result, principal, runId, parentId, verdicts } = record;
  const verdict = verdictOf(verdicts);
  return {
    executionId: record.executionId,
    revision: FINAL,
    callId: record.callId,
    name: record.name,
    ...defined({ runId, parentId, principal: principal?.id }),
    source: record.source,
    gist: gistOf(record.args ?? record.rawArguments, redactor),
    state: stateOf(result),
    startedAt: record.startTime,
    endedAt: record.endTime,
    durationMs: record.durationMs,
    ...(result.attempts > 1 && { attempt: result.attempts }),
    ...(result.decoded.repairs.length > 0 && { repaired: true }),
    ...(result.cached === true && { cached: true }),
    ...(result.failure !== undefined && { failure: failureLine(result.failure, redactor) }),
    ...defined({ verdict }),
  };
}
