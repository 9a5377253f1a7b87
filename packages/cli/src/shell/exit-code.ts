import type { FaultKind, RunError, RunOutcome } from "@toolrig/agent";
import { type ErrorCode, type Failure, ToolrigError } from "@toolrig/core";
import { ERROR_EXIT_CODE, EXIT_CODE, EXIT_FAILED, EXIT_USAGE } from "@toolrig/core/kit";

import { NotFound } from "./not-found.ts";

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
  return exit === EXIT_USAGE || exit === EXIT_FAILED ? EXIT_CODE.fatal : exit;
}
