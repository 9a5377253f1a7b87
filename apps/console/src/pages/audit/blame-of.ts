import type { Blame, FailureGroup } from "@toolrig/server/wire";

const BLAME: Record<FailureGroup["kind"], Blame> = {
  validation: "model",
  not_found: "model",
  budget: "model",
  denied: "policy",
  unavailable: "world",
  transient: "world",
  timeout: "world",
  unknown: "world",
  cancelled: "caller",
  fatal: "tool",
};

/** Whose fault a kind of failure is. */
export function blameOf(kind: FailureGroup["kind"]): Blame {
  return BLAME[kind] ?? "tool";
}
