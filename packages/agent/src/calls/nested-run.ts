import type { ToolResult } from "@toolrig/core";
import type { Usage } from "../model/engine.ts";
import type { Spent } from "../run/allowance.ts";
import type { RunState } from "../run/state.ts";

/** `type` of tools that start a run. */
export const LOOP_TOOL = "loop";

/** What the details of a loop tool's result say of its run. */
export interface NestedRun {
  runId: string;
  status: string;
  turns: number;
  calls: number;
  usage: Usage;
  /** With the runs within it. */
  spent: Spent;
  /** Of a run that a hook or guard has stopped. */
  reason?: string;
}

/**
 * The id of the run that a loop tool's call starts. It follows from the execution, so that whoever submits that again finds the
 * run that it has begun; and the ids of the run's own calls begin with it, so that they tell how deep they are.
 */
export function nestedRunId(executionId: string): string {
  return `${executionId}/run`;
}

/** How many runs a run that this execution starts would be within: 1 for that of a call of an outermost run. */
export function depthOf(executionId: string): number {
  return executionId.split("/run/").length;
}

/** Counts what a run took that this process did not see: it ran elsewhere, or before a crash. */
export function countRunOf(
  { allowance, settings }: RunState,
  { name, executionId, details }: ToolResult,
): void {
  const { spent } = (details as { run?: Partial<NestedRun> } | null | undefined)?.run ?? {};
  if (spent === undefined || settings.source.get(name)?.type !== LOOP_TOOL) return;
  const runId = nestedRunId(executionId);
  const { calls, tokens } = spent;
  if (isCount(calls) && isCount(tokens) && !allowance.knows(runId))
    allowance.spendWithin(runId, { calls, tokens });
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
