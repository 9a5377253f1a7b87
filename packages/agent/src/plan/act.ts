import {
  type CallExecutor,
  type CallOptions,
  coerce,
  type ToolCall,
  type ToolResult,
  type ToolSource,
  textOf,
} from "@toolrig/core";
import { defined, type JournalEntry, mayRepeat, messageOf, newId } from "@toolrig/core/kit";
import { waitingCall } from "../calls/placeholder.ts";
import { plainResult } from "../run/journal.ts";
import { infer, loop } from "./ask.ts";
import type { Attempted } from "./attempt.ts";
import type { Job } from "./job.ts";
import type { Action, ToolAction, ValidateAction } from "./plan.ts";
import type { PlanRun } from "./plan-run.ts";
import { fill } from "./reference.ts";

/** Does what a step says, once. */
export function act(run: PlanRun, action: Action, job: Job): Promise<Attempted> {
  switch (action.kind) {
    case "tool":
      return callTool(run, action, job);
    case "infer":
      return infer(run, action, job);
    case "validate":
      return Promise.resolve(validate(action, job));
    case "loop":
      return loop(run, action, job);
  }
}

async function callTool(run: PlanRun, { tool, input = {} }: ToolAction, job: Job): Promise<Attempted> {
  const { id, stepName, signal } = job;
  const call = { id, name: tool, arguments: fill(input, job.scope) };
  const { executor, source, principal, trace } = run;
  const executionId = executionIdFor(run, source, tool, id);
  const options: CallOptions = {
    source: "script",
    batch: run.calls,
    signal,
    stepName,
    runId: trace.runId,
    requestId: trace.requestId,
    ...defined({ principal }),
    ...defined({ executionId }),
    ...(run.setup.onWaiting === "return" && { onWaiting: "return" }),
  };
  if (executionId !== undefined) {
    try {
      await run.write([{ type: "calls", turn: 0, calls: [{ executionId, call }] }]);
    } catch (error) {
      await refuse(executor, call, options, error);
      throw error;
    }
  }
  const result = await executor.call(call, options);
  if (result.stop !== undefined) run.stopped(result.stop, stepName);
  const waits = waitingCall(result);
  if (waits !== undefined) return { waits: [waits] };
  const entry: JournalEntry = { type: "result", turn: 0, result: plainResult(result) };
  if (result.isError) await run.write([entry]);
  return outcomeOf(result, source);
}

/** A call that could not be written down does not run; that it was to be made is told and recorded like any other. */
async function refuse(
  executor: CallExecutor,
  call: ToolCall,
  options: CallOptions,
  error: unknown,
): Promise<void> {
  if (executor.refuses !== true) return;
  const message = `The plan's journal could not be written (${messageOf(error)}), so the call did not run.`;
  await executor.call(call, { ...options, refusal: { code: "TOOL_UNAVAILABLE", message } });
}

/**
 * Under which id a call is submitted when there is a journal. One that was begun is continued, so that a ledger knows
 * it. One that failed is a new one if the tool may run again; if not, its failure is what the ledger answers.
 */
function executionIdFor(run: PlanRun, source: ToolSource, tool: string, id: string): string | undefined {
  if (!run.journaled) return undefined;
  const before = run.progress.executions.get(id);
  run.progress.executions.delete(id);
  if (before === undefined) return newId("exec");
  return before.result !== undefined && mayRunAgain(before.result, source, tool)
    ? newId("exec")
    : before.executionId;
}

function outcomeOf(result: ToolResult, source: ToolSource): Attempted {
  if (!result.isError) {
    const output = result.value ?? textOf(result.content);
    return result.labels === undefined ? { output } : { output, labels: result.labels };
  }
  const { code, message, details, retryable } = result.failure!;
  const error = details === undefined ? { code, message } : { code, message, details };
  return { error, again: retryable && mayRunAgain(result, source, result.name) };
}

/** A side effect is never repeated because a plan says "retry": only a tool that allows it runs again. */
function mayRunAgain({ attempts, replayed, failure }: ToolResult, source: ToolSource, name: string): boolean {
  const safety = source.get(name)?.safety;
  // Whoever does not know what became of a call cannot count its starts.
  const neverRan = attempts === 0 && !replayed && failure?.kind !== "unknown";
  if (neverRan || safety === undefined) return true;
  return mayRepeat(safety);
}

function validate({ value, schema }: ValidateAction, { scope }: Job): Attempted {
  const coerced = coerce(fill(value, scope), schema);
  if (coerced.ok) return { output: coerced.value };
  const { issues } = coerced;
  const message = issues.map((issue) => issue.message).join("; ");
  return { error: { code: "CONSTRAINT_SCHEMA_INVALID", message, details: { issues } }, again: false };
}
