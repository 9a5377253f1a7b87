import type { Failure, FailureKind } from "@toolrig/core";
import type { Blame } from "../wire.ts";

const BLAME: Record<FailureKind, Blame> = {
  validation: "model",
  not_found: "model",
  denied: "policy",
  unavailable: "world",
  transient: "world",
  timeout: "world",
  cancelled: "caller",
  unknown: "world",
  budget: "model",
  fatal: "tool",
};

/** Whose fault a kind of failure is. */
export function blameOf(kind: FailureKind): Blame {
  return BLAME[kind] ?? "tool";
}

const SAID: Record<FailureKind, string> = {
  validation: "The arguments do not fit what the tool takes",
  not_found: "There is no such tool",
  denied: "A rule forbids it",
  unavailable: "The tool cannot run at the moment",
  transient: "Something it needs did not work; the same call may succeed later",
  timeout: "It took too long and was given up; it may have happened",
  cancelled: "It was cancelled",
  unknown: "Nobody can tell whether it happened; look before it is tried again",
  budget: "The run has used up what it may do",
  fatal: "The tool failed",
};

/** A failure as a colleague would say it. */
export function failureSentence({ kind, message }: Failure): string {
  return `${SAID[kind]}: ${message}`;
}
