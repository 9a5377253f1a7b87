import type { CallInLoop, LoopEvent } from "../run/loop-event.ts";
import type { Trace } from "../run/trace.ts";
import type { PlanOutcome, StepReport } from "./outcome.ts";

/**
 * One ordered stream a plan, with the events of its calls and of the loops within it in place. Every `step.start` has
 * its `step.end`; steps that never began have none. `plan.end` comes last.
 */
export type PlanEvent =
  | ((PlanFact | CallInLoop) & Trace & { seq: number; at: number })
  /** Of a loop that is a step: its `runId` is its own, its `parentId` the plan's. */
  | LoopEvent;

export type PlanFact =
  | { type: "plan.start"; input: unknown; steps: number; resumed: boolean }
  | { type: "step.start"; stepName: string; kind: string }
  | { type: "step.retry"; stepName: string; attempt: number; delayMs: number; message: string }
  | { type: "step.end"; stepName: string; report: StepReport }
  | { type: "plan.end"; outcome: PlanOutcome };
