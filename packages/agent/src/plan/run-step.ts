import type { WaitingCall } from "../run/outcome.ts";
import { act } from "./act.ts";
import { type Attempted, attempt } from "./attempt.ts";
import { holds } from "./condition.ts";
import { stepLabels } from "./flow.ts";
import type { StepError, StepReport } from "./outcome.ts";
import type { MapAction, Step } from "./plan.ts";
import type { PlanRun } from "./plan-run.ts";
import { fill, type Scope } from "./reference.ts";

/** Carries out one step, from its condition to its report. Never throws. */
export async function runStep(run: PlanRun, step: Step): Promise<StepReport> {
  const startedAt = run.clock.now();
  if (step.when !== undefined && !holds(step.when, run.outputs)) {
    return { status: "skipped", reason: "Its condition does not hold." };
  }
  const { name: stepName, kind } = step;
  run.events.emit({ type: "step.start", stepName, kind });
  const retrying = {
    clock: run.clock,
    signal: run.signal,
    onRetry: (tries: number, delayMs: number, message: string) =>
      run.events.emit({ type: "step.retry", stepName, attempt: tries, delayMs, message }),
  };
  const { attempted, attempts } = await attempt(step, retrying, (signal) =>
    step.kind === "map"
      ? overItems(run, step, signal)
      : act(run, step, { id: stepName, stepName, scope: run.outputs, signal }),
  );
  const report = await reportOf(run, stepName, attempted, {
    attempts,
    durationMs: run.clock.now() - startedAt,
  });
  run.events.emit({ type: "step.end", stepName, report });
  return report;
}

/** A finished step is written down before anything relies on it. */
async function reportOf(
  run: PlanRun,
  name: string,
  attempted: Attempted,
  counts: { attempts: number; durationMs: number },
): Promise<StepReport> {
  if ("error" in attempted) return { status: "failed", error: attempted.error, ...counts };
  if ("waits" in attempted)
    return { status: "waiting", reason: "Calls of it wait for the world.", waits: attempted.waits };
  if (!run.journaled) return { status: "completed", output: attempted.output, ...counts };
  try {
    const output = plain(attempted.output);
    await run.write([{ type: "step", name, output, ...labelsOf(run, attempted) }]);
    return { status: "completed", output, ...counts };
  } catch (error) {
    return { status: "failed", error: unwritten(error), ...counts };
  }
}

function labelsOf({ setup, trace }: PlanRun, attempted: Attempted) {
  return stepLabels(setup.flow, trace.runId, "labels" in attempted ? attempted.labels : undefined);
}

/** With a journal, an output is what a resumed plan would read: plain JSON. */
function plain(output: unknown): unknown {
  return output === undefined ? null : JSON.parse(JSON.stringify(output) ?? "null");
}

function unwritten(error: unknown): StepError {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: "STORE_FAILED",
    message: `The step ran, but its output could not be written down: ${reason}`,
  };
}

const AT_A_TIME = 8;

/** The same for every item. The first failure stops those that have not begun; those that wait do not. */
async function overItems(run: PlanRun, step: Step & MapAction, signal: AbortSignal): Promise<Attempted> {
  const items = fill(step.over, run.outputs);
  if (!Array.isArray(items)) {
    const message = `The list to go over is not a list but ${typeof items}.`;
    return { error: { code: "ORCHESTRATION_STEP_MISMATCH", message }, again: false };
  }
  const outputs: unknown[] = new Array(items.length);
  const waits: WaitingCall[] = [];
  let next = 0;
  let failed: Extract<Attempted, { error: unknown }> | undefined;
  const worker = async () => {
    while (next < items.length && failed === undefined && !signal.aborted && !run.isStopped) {
      const index = next++;
      const done = await oneItem(run, step, index, items[index], signal);
      if ("output" in done) outputs[index] = done.output;
      else if ("waits" in done) waits.push(...done.waits);
      else failed ??= { ...done, error: { ...done.error, message: `Item ${index}: ${done.error.message}` } };
    }
  };
  await Promise.all(Array.from({ length: Math.min(step.concurrency ?? AT_A_TIME, items.length) }, worker));
  if (failed !== undefined) {
    // The step has failed, and nobody will come back for what its other items wait for.
    for (const { executionId } of waits)
      await run.setup.executor.waits?.cancel(executionId, { reason: failed.error.message }).catch(() => {});
    return failed;
  }
  if (run.isStopped && next < items.length)
    return { error: { code: "TOOL_BLOCKED", message: "A guard stopped the plan." }, again: false };
  if (!signal.aborted) return waits.length > 0 ? { waits } : { output: outputs };
  return { error: { code: "CANCELLED_SIGNAL", message: "The step was cancelled." }, again: true };
}

async function oneItem(
  run: PlanRun,
  { name: stepName, do: action }: Step & MapAction,
  index: number,
  item: unknown,
  signal: AbortSignal,
): Promise<Attempted> {
  const id = `${stepName}[${index}]`;
  if (run.progress.outputs.has(id)) return { output: run.progress.outputs.get(id) };
  const scope: Scope = {
    get: (name) => (name === "item" ? item : name === "index" ? index : run.outputs.get(name)),
  };
  const attempted = await act(run, action, { id, stepName, scope, signal });
  if (!("output" in attempted)) return attempted;
  const output = run.journaled ? plain(attempted.output) : attempted.output;
  if (run.journaled) await run.write([{ type: "step", name: id, output, ...labelsOf(run, attempted) }]);
  // Another attempt at the map goes on behind the items that are done.
  run.progress.outputs.set(id, output);
  return { output };
}
