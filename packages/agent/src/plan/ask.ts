import type { JsonSchema } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { AgentLoop } from "../loop/loop.ts";
import type { AgentLoopOptions, RunOptions } from "../loop/options.ts";
import { StructuredLoop } from "../loop/structured.ts";
import type { LoopHooks } from "../run/hooks.ts";
import type { RunOutcome } from "../run/outcome.ts";
import type { UserInput } from "../run/steering.ts";
import type { Attempted } from "./attempt.ts";
import { spoken } from "./flow.ts";
import type { Job } from "./job.ts";
import type { InferAction, LoopAction } from "./plan.ts";
import type { PlanRun } from "./plan-run.ts";

/** Asks the model without tools. Nothing has happened when it fails, so another attempt begins anew. */
export async function infer(run: PlanRun, action: InferAction, job: Job): Promise<Attempted> {
  const { journal: _, onWaiting: __, ...options } = optionsFor(run, action);
  const how = runOptions(run, job);
  run.setup.flow?.join(how.runId, how.parentId);
  const { outcome } = loopOf(options, action.schema).run(spoken(run, action.prompt, job), how);
  return attempted(await outcome, action.schema, () => true);
}

/**
 * Gives a task to a loop, as a run of its own. Another attempt resumes that run, in this process or a later one: what
 * its calls have done is not done again.
 */
export async function loop(run: PlanRun, action: LoopAction, job: Job): Promise<Attempted> {
  const { maxToolIterations, schema } = action;
  const tools = action.tools ?? run.setup.allowedNames();
  const journal = run.loopJournal();
  const options: AgentLoopOptions = {
    ...optionsFor(run, action),
    journal,
    tools: run.source,
    executor: run.executor,
    ...defined({ maxToolIterations }),
  };
  if (tools !== undefined) options.hooks = limitedTo(tools, options.hooks);
  const each = loopOf(options, schema);
  const how = runOptions(run, job);
  const begun = (await journal.header(how.runId)) !== undefined;
  run.setup.flow?.join(how.runId, how.parentId);
  const { outcome } = begun ? each.resume(how.runId, how) : each.run(spoken(run, action.task, job), how);
  return attempted(
    await outcome,
    schema,
    ({ status, error }) => status === "aborted" || error.code === "ENGINE_FAILED",
  );
}

interface AnyLoop {
  run(input: UserInput, options: RunOptions): { outcome: Promise<RunOutcome> };
  resume(runId: string, options: RunOptions): { outcome: Promise<RunOutcome> };
}

function loopOf(options: AgentLoopOptions, schema: JsonSchema | undefined): AnyLoop {
  return schema === undefined ? new AgentLoop(options) : new StructuredLoop({ ...options, schema });
}

function optionsFor(run: PlanRun, { system }: InferAction | LoopAction): AgentLoopOptions {
  const options = run.loopOptions();
  return system === undefined ? options : { ...options, system };
}

function runOptions({ trace, principal }: PlanRun, { id, stepName, signal }: Job) {
  const { runId, requestId } = trace;
  return {
    runId: `${runId}/${id}`,
    requestId,
    parentId: runId,
    stepName,
    signal,
    ...defined({ principal }),
  };
}

function limitedTo(tools: readonly string[], hooks: LoopHooks = {}): LoopHooks {
  return { ...hooks, prepareTurn: async (input) => ({ tools, ...(await hooks.prepareTurn?.(input)) }) };
}

/** Half an answer is none: a later step would act on it. */
function cutOff(): Attempted {
  const message = "The answer was cut off by the model's length limit, so nothing goes on with it.";
  return { error: { code: "ORCHESTRATION_FAILED", message }, again: true };
}

type Unfinished = Extract<RunOutcome, { status: "aborted" | "failed" }>;

function attempted(
  outcome: RunOutcome,
  schema: JsonSchema | undefined,
  worthAnother: (outcome: Unfinished) => boolean,
): Attempted {
  if (outcome.status === "answered") {
    if (outcome.finishReason === "length") return cutOff();
    return { output: schema === undefined ? outcome.text : outcome.value };
  }
  if (outcome.status === "terminated" || outcome.status === "stopped") return { output: outcome.text };
  if (outcome.status === "waiting") return { waits: outcome.waits };
  const { code, message, details } = outcome.error;
  const error = details === undefined ? { code, message } : { code, message, details };
  return { error, again: worthAnother(outcome) };
}
