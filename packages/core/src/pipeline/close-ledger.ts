import type { ToolResult } from "../call/result.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { LedgerOutcome } from "./counters.ts";
import type { Resolved } from "./execution.ts";
import { inTime } from "./interruption.ts";

/** The outcome of a tool that ran cannot be undone by a ledger that fails: it is returned, and the gap reported. */
export function closeLedger(execution: Resolved, outcome: ToolResult): MaybePromise<unknown> {
  // It was not started again, and what became of its first start is as open as before.
  if (execution.earlier > 0 && outcome.attempts === execution.earlier) return undefined;
  const unrecorded = (error: unknown) =>
    execution.emit({ type: "call.unrecorded", message: messageOf(error) });
  try {
    const written = writeOutcome(execution, outcome);
    return isThenable(written) ? written.catch(unrecorded) : written;
  } catch (error) {
    return unrecorded(error);
  }
}

/** False when the execution had an outcome before, which stands. Throws or rejects when the ledger fails. */
export function writeOutcome(execution: Resolved, outcome: ToolResult): MaybePromise<unknown> {
  const { ledger: book, counters } = execution.services;
  const { effects } = execution;
  const known = execution.doubt ?? outcome;
  const result: ToolResult = effects === undefined ? { ...known } : { ...known, effects };
  const outcomeIs = ledgerOutcome(execution, result);
  const written =
    outcomeIs === "withdrawn" ? book.withdraw(execution.id) : book[WRITE[outcomeIs]](execution.id, result);
  counters.ledger[outcomeIs] += 1;
  return isThenable(written) ? inTime(execution, written) : written;
}

const WRITE = { completed: "complete", failed: "fail", unknown: "unknown" } as const;

function ledgerOutcome(execution: Resolved, result: ToolResult): LedgerOutcome {
  if (result.attempts === 0) return "withdrawn";
  if (isInDoubt(execution, result)) return "unknown";
  return result.isError ? "failed" : "completed";
}

/** What was given up while it ran may have happened, whether or not it could be repeated. */
function isInDoubt({ tool }: Resolved, { failure }: ToolResult): boolean {
  if (failure === undefined) return false;
  if (failure.code === "TOOL_OUTCOME_UNKNOWN") return true;
  const wasGivenUp = failure.code === "TOOL_TIMEOUT" || failure.code === "TOOL_CANCELLED";
  return wasGivenUp && hasSideEffects(tool.safety);
}
