import type { ErrorCode, FailureCode } from "@toolrig/core";
import type { WaitingCall } from "../run/outcome.ts";

export interface StepError {
  code: ErrorCode | FailureCode;
  message: string;
  details?: unknown;
}

export type StepReport =
  | { status: "completed"; output: unknown; attempts: number; durationMs: number }
  | { status: "failed"; error: StepError; attempts: number; durationMs: number }
  /** It goes on when the plan is resumed: calls of it wait, or a step that it needs does. */
  | { status: "waiting"; reason: string; waits: readonly WaitingCall[] }
  /** Its condition did not hold, or it refers to a step that was skipped. */
  | { status: "skipped"; reason: string }
  /** A step that it waits for failed, or the plan was aborted before it began. */
  | { status: "stopped"; reason: string };

/** How a plan ended. Whatever happened, what was completed is there. */
export interface PlanOutcome {
  runId: string;
  /**
   * "completed" when nothing failed; skipped steps are not failures. "waiting" when some step can still go on, whatever else
   * failed: `resume` goes on with it.
   */
  status: "completed" | "waiting" | "failed" | "aborted";
  /** By step, of those that completed. */
  outputs: Record<string, unknown>;
  /** What the plan's own `output` came to, when it completed and has one. */
  output?: unknown;
  steps: Record<string, StepReport>;
  /** What a plan that waits waits for. */
  waits?: readonly WaitingCall[];
  /** The first error. */
  error?: StepError & { step?: string };
}
