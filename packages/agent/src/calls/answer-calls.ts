import type { BatchOptions, FailureInput, ToolResult } from "@toolrig/core";
import { type MaybePromise, messageOf, newId, type Refusal } from "@toolrig/core/kit";
import { type AssistantMessage, type ToolCallPart, toolMessage } from "../model/message.ts";
import type { OpenCalls } from "../run/journal.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { asCall, callOptions } from "./call-options.ts";
import { isBeyondBudget, refusalsFor } from "./limits.ts";
import { batchWithOwn } from "./own-calls.ts";
import { announceRefused, refusedResult } from "./refuse.ts";
import { takeNote, takeResults } from "./take-results.ts";

/** Calls that were begun in an earlier life of the run, by position, with the results of those that were over. */
export type Begun = Pick<OpenCalls, "executionIds" | "results">;

export interface Answered {
  /** One a call, in their order. */
  results: readonly ToolResult[];
  /** The run ends because of how the calls were answered. */
  ending: Ending | undefined;
}

/**
 * Gives every call of a message exactly one result and appends them to the transcript. They go to the executor together,
 * with why some of them may not run. What is about to run is written down before it starts. Of calls that were begun before,
 * those that have a result keep it. When some wait and the run is suspended for that, the results that there are stay in the
 * journal until the others have come.
 */
export async function answerCalls(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  begun: Begun | undefined,
): Promise<Answered> {
  const known = begun?.results ?? calls.map(() => undefined);
  const isOpen = (_: unknown, index: number) => known[index] === undefined;
  const open = calls.filter(isOpen);
  const { refusals, ending } = refusalsFor(run, message, open);
  run.beginRound(calls.length);
  const running = open.length - (refusals?.filter((refusal) => refusal !== undefined).length ?? 0);
  // At once, so that a run beside this one does not take the same.
  run.allowance.spend({ calls: running });
  const executionIds = begun?.executionIds.filter(isOpen) ?? newExecutionIds(run, calls.length);
  if (run.setup.journal !== undefined && begun === undefined) {
    try {
      await writeBegun(run, message, calls, executionIds ?? []);
    } catch (error) {
      run.allowance.spend({ calls: -running });
      return unwritten(run, message, calls, messageOf(error));
    }
  }
  const given = await answer(run, message, open, executionIds, refusals);
  run.allowance.spend({ calls: -remembered(given, refusals) });
  if (refusals !== undefined && isBeyondBudget(refusals, given)) run.conclude();
  const { results, suspended } = await takeResults(run, calls, known, given);
  return { results, ending: ending ?? suspended };
}

/** Made here where somebody looks for them later: in a journal, or in the id of a run that a call starts. */
function newExecutionIds({ setup, runId, isNested }: RunState, count: number): string[] | undefined {
  if (setup.journal === undefined && !isNested) return undefined;
  return Array.from({ length: count }, () => (isNested ? `${runId}/${newId("exec")}` : newId("exec")));
}

/** How many calls that might have run were answered from memory: they are free. */
function remembered(
  results: readonly ToolResult[],
  refusals: readonly (Refusal | undefined)[] | undefined,
): number {
  const free = results.filter(({ cached }, index) => cached === true && refusals?.[index] === undefined);
  return free.length;
}

function answer(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[] | undefined,
  refusals: readonly (Refusal | undefined)[] | undefined,
): Promise<ToolResult[]> {
  return refusals === undefined || run.settings.executor.refuses === true
    ? runAll(run, message, calls, executionIds, refusals)
    : runSome(run, message, calls, executionIds, refusals);
}

function writeBegun(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[],
): MaybePromise<void> {
  const { turn } = run;
  const begun = executionIds.flatMap((executionId, index) => {
    const call = calls[index];
    return call === undefined ? [] : [{ executionId, call: asCall(call) }];
  });
  return run.write([
    { type: "message", turn, message },
    { type: "calls", turn, calls: begun },
  ]);
}

async function runAll(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[] | undefined,
  refusals?: readonly (Refusal | undefined)[],
): Promise<ToolResult[]> {
  const { setup } = run;
  const options: BatchOptions = callOptions(run, message);
  if (setup.onWaiting !== "hold") options.onWaiting = "return";
  if (setup.mode !== undefined) options.mode = setup.mode;
  if (executionIds !== undefined) options.executionIds = executionIds;
  if (refusals !== undefined) options.refusals = refusals;
  const asked = calls.map(asCall);
  let results: readonly ToolResult[];
  let reason = "The executor gave no result";
  try {
    results = await batchWithOwn(run, asked, options);
  } catch (error) {
    results = [];
    reason = `The executor failed: ${messageOf(error)}`;
  }
  // Executors answer every call; one that does not leaves its outcome open, and the model is told so.
  const lost: FailureInput = { code: "TOOL_OUTCOME_UNKNOWN", message: `${reason}; the call may have run.` };
  return asked.map((call, index) => results[index] ?? refusedResult(call, lost, executionIds?.[index]));
}

/** For an executor that knows no refusals: what may not run is answered here, before the others. */
async function runSome(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[] | undefined,
  refusals: readonly (Refusal | undefined)[],
): Promise<ToolResult[]> {
  const refused = calls.map((call, index) => {
    const refusal = refusals[index];
    return refusal === undefined ? undefined : refuse(run, message, call, refusal, executionIds?.[index]);
  });
  const mayRun = (_: unknown, index: number) => refused[index] === undefined;
  const running = calls.filter(mayRun);
  const results =
    running.length === 0 ? [] : await runAll(run, message, running, executionIds?.filter(mayRun));
  // From the first on, so that each comes to where its call is.
  for (const [index, result] of refused.entries()) if (result !== undefined) results.splice(index, 0, result);
  return results;
}

function refuse(
  run: RunState,
  message: AssistantMessage,
  part: ToolCallPart,
  refusal: FailureInput,
  executionId?: string,
): ToolResult {
  const call = asCall(part);
  const result = refusedResult(call, refusal, executionId);
  announceRefused(run.settings.executor, call, callOptions(run, message), result, run.setup.clock.now());
  return result;
}

/** Calls that could not be written down do not run: after a crash nobody would know of them. */
async function unwritten(
  run: RunState,
  asking: AssistantMessage,
  calls: readonly ToolCallPart[],
  reason: string,
): Promise<Answered> {
  const message = `The run's journal could not be written (${reason}), so the call did not run.`;
  const refusal: Refusal = { code: "TOOL_UNAVAILABLE", message };
  const results = await answer(
    run,
    asking,
    calls,
    undefined,
    calls.map(() => refusal),
  );
  for (const [index, call] of calls.entries()) results[index] = takeNote(run, call, results[index]!);
  run.append(toolMessage(results));
  return { results, ending: { status: "failed", error: { code: "STORE_FAILED", message } } };
}
