import type { BatchOptions, CallOptions, FailureInput, ToolCall, ToolResult } from "@toolrig/core";
import { type JournalEntry, type MaybePromise, messageOf, newId, type Refusal } from "@toolrig/core/kit";
import { type AssistantMessage, type ToolCallPart, toolMessage } from "../model/message.ts";
import { plainResult } from "../run/journal.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { isBeyondBudget, refusalsFor } from "./limits.ts";
import { countRunOf } from "./nested-run.ts";
import { announceRefused, refusedResult } from "./refuse.ts";

export interface Answered {
  /** One a call, in their order. */
  results: readonly ToolResult[];
  /** The run ends because of how the calls were answered. */
  ending: Ending | undefined;
}

/**
 * Gives every call of a message exactly one result and appends them to the transcript. They go to the executor together,
 * with why some of them may not run. What is about to run is written down before it starts.
 */
export async function answerCalls(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  continued: readonly string[] | undefined,
): Promise<Answered> {
  const { refusals, ending } = refusalsFor(run, message, calls);
  run.beginRound(calls.length);
  const running = calls.length - (refusals?.filter((refusal) => refusal !== undefined).length ?? 0);
  // At once, so that a run beside this one does not take the same.
  run.allowance.spend({ calls: running });
  const executionIds = continued ?? newExecutionIds(run, calls.length);
  if (run.setup.journal !== undefined && continued === undefined) {
    try {
      await writeBegun(run, message, calls, executionIds ?? []);
    } catch (error) {
      run.allowance.spend({ calls: -running });
      return unwritten(run, message, calls, messageOf(error));
    }
  }
  const results = await answer(run, message, calls, executionIds, refusals);
  run.allowance.spend({ calls: -remembered(results, refusals) });
  if (refusals !== undefined && isBeyondBudget(refusals, results)) run.conclude();
  await settle(run, calls, results);
  return { results, ending };
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

function asCall({ id, name, arguments: text }: ToolCallPart): ToolCall {
  return { id, name, arguments: text };
}

/** Who makes the calls of a message, and as part of what. The same for those that run and those that are refused. */
function callOptions({ trace, principal, signal }: RunState, message: AssistantMessage): CallOptions {
  const options: CallOptions = { signal, runId: trace.runId, requestId: trace.requestId };
  if (trace.stepName !== undefined) options.stepName = trace.stepName;
  if (trace.parentId !== undefined) options.parentId = trace.parentId;
  if (principal !== undefined) options.principal = principal;
  if (message.content.some((part) => part.type === "tool-call" && part.extracted !== undefined)) {
    options.source = "extracted";
  }
  return options;
}

async function runAll(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[] | undefined,
  refusals?: readonly (Refusal | undefined)[],
): Promise<ToolResult[]> {
  const { setup, settings } = run;
  const options: BatchOptions = callOptions(run, message);
  if (setup.mode !== undefined) options.mode = setup.mode;
  if (executionIds !== undefined) options.executionIds = executionIds;
  if (refusals !== undefined) options.refusals = refusals;
  const asked = calls.map(asCall);
  let results: readonly ToolResult[];
  let reason = "The executor gave no result";
  try {
    results = await settings.executor.batch(asked, options);
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

/** Takes note of the results, appends them to the transcript, and writes them down. */
async function settle(run: RunState, calls: readonly ToolCallPart[], results: ToolResult[]): Promise<void> {
  takeNote(run, calls, results);
  for (const result of results) countRunOf(run, result);
  if (run.setup.journal === undefined) return;
  const { turn } = run;
  const entries: JournalEntry[] = results.map((result) => ({
    type: "result",
    turn,
    result: plainResult(result),
  }));
  const spent = run.allowance.takeUnwritten();
  if (spent !== undefined) entries.push({ type: "spent", turn, ...spent });
  await run.write(entries);
}

function takeNote(run: RunState, calls: readonly ToolCallPart[], results: ToolResult[]): void {
  for (const [index, call] of calls.entries()) {
    const result = withAdvice(run, call, results[index]!);
    results[index] = result;
    tellListener(run, result, call);
  }
  run.append(toolMessage(results));
}

/** The result, with a hint for a model that goes round in circles. */
function withAdvice({ repeats }: RunState, call: ToolCallPart, result: ToolResult): ToolResult {
  // What was refused, or answered from memory, did not happen again.
  const anew = result.failure?.code !== "TOOL_REPEATED" && result.cached !== true;
  const text = anew ? repeats?.observe(call, result) : undefined;
  if (text === undefined) return result;
  return {
    ...result,
    advice: [...(result.advice ?? []), text],
    content: [...result.content, { type: "text", text: `[advice] ${text}` }],
  };
}

function tellListener({ setup }: RunState, result: ToolResult, call: ToolCallPart): void {
  if (setup.onToolResult === undefined) return;
  try {
    const answer = setup.onToolResult(result, call);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // A listener never changes a run.
  }
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
  takeNote(run, calls, results);
  return { results, ending: { status: "failed", error: { code: "STORE_FAILED", message } } };
}
