import {
  type BatchOptions,
  type JournalEntry,
  newId,
  type ToolResult,
  type ToolSource,
  textOf,
} from "@toolrig/core";
import { coerce } from "@toolrig/core/json";
import type { LoopHooks } from "../hooks.ts";
import { plainResult } from "../journal.ts";
import { AgentLoop } from "../loop.ts";
import type { AgentLoopOptions } from "../options.ts";
import type { RunOutcome } from "../outcome.ts";
import { StructuredLoop } from "../structured.ts";
import type { Attempted } from "./attempt.ts";
import type { Action, InferAction, LoopAction, ToolAction, ValidateAction } from "./plan.ts";
import type { PlanRun } from "./plan-run.ts";
import { fill, fillText, type Scope } from "./reference.ts";

/** One thing to do: a step, or one item of a map. */
export interface Job {
  /** The step's name, or "step[3]" for an item: what the journal knows it by. */
  id: string;
  stepName: string;
  scope: Scope;
  signal: AbortSignal;
}

/** Does what a step says, once. */
export function act(run: PlanRun, action: Action, job: Job): Promise<Attempted> {
  switch (action.kind) {
    case "tool":
      return callTool(run, action, job);
    case "infer":
      return ask(run, action, job);
    case "validate":
      return Promise.resolve(validate(action, job));
    case "loop":
      return ask(run, action, job);
  }
}

async function callTool(run: PlanRun, { tool, input = {} }: ToolAction, job: Job): Promise<Attempted> {
  const { id, stepName, signal } = job;
  const call = { id, name: tool, arguments: fill(input, job.scope) };
  const { executor, source, principal, trace } = run;
  const executionId = executionIdFor(run, source, tool, id);
  const options: BatchOptions = {
    source: "script",
    signal,
    stepName,
    runId: trace.runId,
    requestId: trace.requestId,
    ...(principal !== undefined && { principal }),
    ...(executionId !== undefined && { executionIds: [executionId] }),
  };
  if (executionId !== undefined)
    await run.write([{ type: "calls", turn: 0, calls: [{ executionId, call }] }]);
  const [result] = await executor.batch([call], options);
  if (result === undefined) throw new Error(`The executor gave no result for ${tool}.`);
  const entry: JournalEntry = { type: "result", turn: 0, result: plainResult(result) };
  if (result.isError) await run.write([entry]);
  return outcomeOf(result, source);
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
  if (!result.isError) return { output: result.value ?? textOf(result.content) };
  const { code, message, details, retryable } = result.failure!;
  const error = details === undefined ? { code, message } : { code, message, details };
  return { error, again: retryable && mayRunAgain(result, source, result.name) };
}

/** A side effect is never repeated because a plan says "retry": only a tool that allows it runs again. */
function mayRunAgain({ attempts }: ToolResult, source: ToolSource, name: string): boolean {
  const safety = source.get(name)?.safety;
  if (attempts === 0 || safety === undefined) return true;
  return safety.idempotent || safety.sideEffects === "none" || safety.sideEffects === "read";
}

function validate({ value, schema }: ValidateAction, { scope }: Job): Attempted {
  const coerced = coerce(fill(value, scope), schema);
  if (coerced.ok) return { output: coerced.value };
  const { issues } = coerced;
  const message = issues.map((issue) => issue.message).join("; ");
  return { error: { code: "CONSTRAINT_SCHEMA_INVALID", message, details: { issues } }, again: false };
}

/** Infer steps are loops without tools. With a journal each is a run of its own, and resumed as one. */
async function ask(run: PlanRun, action: InferAction | LoopAction, job: Job): Promise<Attempted> {
  const { trace, principal } = run;
  const options = {
    runId: `${trace.runId}/${job.id}`,
    requestId: trace.requestId,
    parentId: trace.runId,
    stepName: job.stepName,
    signal: job.signal,
    ...(principal !== undefined && { principal }),
  };
  const loop = loopFor(run, action);
  const begun = await run.isBegun(options.runId);
  const text = fillText(action.kind === "infer" ? action.prompt : action.task, job.scope);
  const outcome: RunOutcome = await (begun ? loop.resume(options.runId, options) : loop.run(text, options))
    .outcome;
  if (outcome.status === "answered")
    return { output: action.schema === undefined ? outcome.text : outcome.value };
  if (outcome.status === "terminated" || outcome.status === "stopped") return { output: outcome.text };
  const { code, message, details } = outcome.error;
  const again = outcome.status === "failed" && code !== "ORCHESTRATION_BUDGET_EXCEEDED";
  return { error: details === undefined ? { code, message } : { code, message, details }, again };
}

interface AnyLoop {
  run(text: string, options: object): { outcome: Promise<RunOutcome> };
  resume(runId: string, options: object): { outcome: Promise<RunOutcome> };
}

function loopFor(run: PlanRun, action: InferAction | LoopAction): AnyLoop {
  const { system, schema } = action;
  const options: AgentLoopOptions = {
    ...run.loopOptions(),
    ...(system !== undefined && { system }),
    ...(action.kind === "loop" && { tools: run.source, executor: run.executor }),
  };
  if (action.kind === "loop") {
    const { tools, maxToolIterations } = action;
    if (maxToolIterations !== undefined) options.maxToolIterations = maxToolIterations;
    if (tools !== undefined) options.hooks = limitedTo(tools, options.hooks);
  }
  return schema === undefined ? new AgentLoop(options) : new StructuredLoop({ ...options, schema });
}

function limitedTo(tools: readonly string[], hooks: LoopHooks = {}): LoopHooks {
  return { ...hooks, prepareTurn: async (input) => ({ tools, ...(await hooks.prepareTurn?.(input)) }) };
}
