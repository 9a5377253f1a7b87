import type { ErrorCode, FailureCode } from "@toolrig/core";

export interface StepError {
  code: ErrorCode | FailureCode;
  message: string;
  details?: unknown;
}

export type StepReport =
  | { status: "completed"; output: unknown; attempts: number; durationMs: number }
  | { status: "failed"; error: StepError; attempts: number; durationMs: number }
  /** Its condition did not hold, or it refers to a step that was skipped. */
  | { status: "skipped"; reason: string }
  /** A step that it waits for failed, or the plan was aborted before it began. */
  | { status: "stopped"; reason: string };

/** How a plan ended. Whatever happened, what was completed is there. */
export interface PlanOutcome {
  runId: string;
  /** "completed" when nothing failed; skipped steps are not failures. */
  status: "completed" | "failed" | "aborted";
  /** By step, of those that completed. */
  outputs: Record<string, unknown>;
  /** What the plan's own `output` came to, when it completed and has one. */
  output?: unknown;
  steps: Record<string, StepReport>;
  /** The first error. */
  error?: StepError & { step?: string };
}
