import { fingerprintOf } from "../call/fingerprint.ts";
import type { ToolResult } from "../call/result.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { LedgerOutcome } from "./counters.ts";
import type { Resolved } from "./execution.ts";
import { inTime } from "./interruption.ts";

/**
 * The outcome of a tool that ran cannot be undone by a ledger that fails: it is returned, the gap is reported, and the outcome is held
 * and written again until it is stored.
 */
export function closeLedger(execution: Resolved, outcome: ToolResult): MaybePromise<unknown> {
  // It was not started again, and what became of its first start is as open as before.
  if (execution.earlier > 0 && outcome.attempts === execution.earlier)
    return execution.services.ledger.release?.(execution.id);
  const closing = closingOf(execution, outcome);
  try {
    const written = write(execution, closing);
    if (!isThenable(written)) return count(execution, closing, written);
    return inTime(execution, written).then(
      (answer) => count(execution, closing, answer),
      (error) => unrecorded(execution, closing, error),
    );
  } catch (error) {
    return unrecorded(execution, closing, error);
  }
}

function unrecorded(execution: Resolved, closing: Closing, error: unknown): void {
  execution.emit({ type: "call.unrecorded", message: messageOf(error) });
  hold(execution, closing, error);
}

/** False when the execution had an outcome before, which stands. Throws or rejects when the ledger fails. */
export function writeOutcome(execution: Resolved, outcome: ToolResult): MaybePromise<unknown> {
  const closing = closingOf(execution, outcome);
  const written = write(execution, closing);
  if (!isThenable(written)) return count(execution, closing, written);
  return inTime(execution, written).then((answer) => count(execution, closing, answer));
}

/** Withdraws the intent of a call that did not run, until that is stored. */
export function withdraw(execution: Resolved): void {
  const failed = (error: unknown) => hold(execution, WITHDRAWN, error);
  try {
    Promise.resolve(write(execution, WITHDRAWN)).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** What the ledger is told of a call that is over. One that did not run has no result. */
type Closing =
  | { as: Exclude<LedgerOutcome, "withdrawn">; result: ToolResult }
  | { as: "withdrawn"; result?: undefined };

const WITHDRAWN: Closing = { as: "withdrawn" };

function closingOf(execution: Resolved, outcome: ToolResult): Closing {
  const { effects } = execution;
  const known = execution.doubt ?? outcome;
  const result: ToolResult = effects === undefined ? { ...known } : { ...known, effects };
  const as = ledgerOutcome(execution, result);
  return as === "withdrawn" ? WITHDRAWN : { as, result };
}

function write({ services, id }: Resolved, closing: Closing): MaybePromise<unknown> {
  const { ledger } = services;
  return closing.as === "withdrawn" ? ledger.withdraw(id) : ledger[WRITE[closing.as]](id, closing.result);
}

/** Counts what was written. */
function count({ services }: Resolved, { as }: Closing, written: unknown): unknown {
  if (written !== false) services.counters.ledger[as] += 1;
  return written;
}

function hold(execution: Resolved, closing: Closing, error: unknown): void {
  const { services, tool, args, options, id } = execution;
  const again = async () => count(execution, closing, await write(execution, closing));
  const { result } = closing;
  const known = { fingerprint: fingerprintOf(tool, args), principal: options.principal?.id, result };
  services.held.add(id, { ...known, write: again }, error);
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
