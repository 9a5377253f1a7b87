import type { FaultKind, RunError, RunOutcome } from "@toolrig/agent";
import { type ErrorCode, type Failure, type FailureKind, ToolrigError } from "@toolrig/core";
import { NotFound } from "./not-found.ts";

/** Exit code of the command line. 0 is success, 1 an unexpected error, 2 wrong usage, as shells expect. */
export const EXIT_CODE: Record<FailureKind, number> = {
  fatal: 10,
  validation: 11,
  not_found: 12,
  denied: 13,
  unavailable: 14,
  transient: 15,
  timeout: 16,
  cancelled: 17,
  unknown: 18,
  budget: 19,
};

/** An unexpected error, or a check that does not hold. */
export const EXIT_FAILED = 1;
/** What the person at the command line can mend by typing or configuring something else. */
const EXIT_USAGE = 2;
/** An answer, an approval or a result that does not count: what it was for is as it was. */
const EXIT_REFUSED = 3;

/** Exit code of the command line for what is thrown or ends a run. */
const ERROR_EXIT_CODE: Record<ErrorCode, number> = {
  CONFIG_INVALID: EXIT_USAGE,
  OPTION_INVALID: EXIT_USAGE,
  SCHEMA_INVALID: EXIT_USAGE,
  SCHEMA_UNSUPPORTED: EXIT_USAGE,
  TOOL_INVALID_DEFINITION: EXIT_USAGE,
  TOOL_NAME_TAKEN: EXIT_USAGE,
  APPROVAL_REFUSED: EXIT_REFUSED,
  COMPLETION_REFUSED: EXIT_REFUSED,
  STORE_FAILED: EXIT_FAILED,
  ORCHESTRATION_STEP_MISMATCH: EXIT_FAILED,
  CONSTRAINT_JSON_INVALID: EXIT_CODE.fatal,
  CONSTRAINT_SCHEMA_INVALID: EXIT_CODE.fatal,
  ENGINE_FAILED: EXIT_CODE.fatal,
  ORCHESTRATION_FAILED: EXIT_CODE.fatal,
  CANCELLED_TIMEOUT: EXIT_CODE.timeout,
  CANCELLED_SIGNAL: EXIT_CODE.cancelled,
  ORCHESTRATION_BUDGET_EXCEEDED: EXIT_CODE.budget,
  ORCHESTRATION_ITERATION_LIMIT: EXIT_CODE.budget,
};

/** Model faults that may be gone when the run is resumed. */
const PASSING: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "rate_limit",
  "overloaded",
  "network",
  "idle",
  "incomplete",
]);

/** How a command came to its end: with the result of a call, with a run, or because something was thrown. */
type End = { readonly failure?: Failure } | RunOutcome | { readonly thrown: unknown };

/** The exit code of every command that does not know its own. Scripts rely on them: docs/cli.md lists all. */
export function exitCodeOf(end: End): number {
  if ("thrown" in end) return ofThrown(end.thrown);
  if ("status" in end) return ofRun(end);
  return end.failure === undefined ? 0 : EXIT_CODE[end.failure.kind];
}

function ofThrown(error: unknown): number {
  if (error instanceof NotFound) return EXIT_CODE.not_found;
  return ToolrigError.isInstance(error) ? ofCode(error.code) : EXIT_FAILED;
}

/** An error of another installed version may have a code that this one does not know. */
function ofCode(code: ErrorCode): number {
  return ERROR_EXIT_CODE[code] ?? EXIT_FAILED;
}

function ofRun(outcome: RunOutcome): number {
  if (outcome.status === "stopped") return EXIT_CODE.denied;
  return "error" in outcome ? ofRunError(outcome.error) : 0;
}

/** A run that has begun was not typed wrongly: what ends it is a failure, whatever its code says of the command line. */
function ofRunError({ code, fault }: RunError): number {
  if (fault !== undefined && PASSING.has(fault)) return EXIT_CODE.transient;
  const exit = ofCode(code);
  return exit < EXIT_CODE.fatal ? EXIT_CODE.fatal : exit;
}
