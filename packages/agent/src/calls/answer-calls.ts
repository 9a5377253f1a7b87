import type { BatchOptions, CallOptions, FailureInput, ToolCall, ToolResult } from "@toolrig/core";
import { type JournalEntry, messageOf, newId } from "@toolrig/core/kit";
import { type AssistantMessage, type ToolCallPart, toolMessage } from "../model/message.ts";
import { plainResult } from "../run/journal.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { refusalsFor } from "./refusals.ts";
import { announceRefused, refusedResult } from "./refused-call.ts";

export interface Answered {
  /** One a call, in their order. */
  results: readonly ToolResult[];
  /** The run ends because of how the calls were answered. */
  ending: Ending | undefined;
}

/**
 * Gives every call of a message exactly one result and appends them to the transcript. Those that may run go to the
 * executor together; those that may not are answered here. What is about to run is written down before it starts.
 */
export async function answerCalls(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  continued: readonly string[] | undefined,
): Promise<Answered> {
  const { refusals, ending } = refusalsFor(run, message, calls);
  run.beginRound(calls.length);
  const { journal } = run.setup;
  const executionIds = continued ?? (journal === undefined ? undefined : calls.map(() => newId("exec")));
  if (journal !== undefined && continued === undefined) {
    try {
      await run.write(begun(run, message, calls, executionIds!));
    } catch (error) {
      return unwritten(run, message, calls, messageOf(error));
    }
  }
  const results =
    refusals === undefined
      ? await runAll(run, message, calls, executionIds)
      : await runSome(run, message, calls, executionIds, refusals);
  await settle(run, calls, results);
  return { results, ending };
}

function begun(
  { turn }: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[],
): JournalEntry[] {
  const listed = calls.map((call, index) => ({ executionId: executionIds[index]!, call: asCall(call) }));
  return [
    { type: "message", turn, message },
    { type: "calls", turn, calls: listed },
  ];
}

function asCall({ id, name, arguments: text }: ToolCallPart): ToolCall {
  return { id, name, arguments: text };
}

/** Who makes the calls of a message, and as part of what. The same for those that run and those that are refused. */
function callOptions({ trace, principal, signal }: RunState, message: AssistantMessage): CallOptions {
  const options: CallOptions = { signal, runId: trace.runId, requestId: trace.requestId };
  if (trace.stepName !== undefined) options.stepName = trace.stepName;
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
): Promise<ToolResult[]> {
  const { setup, settings } = run;
  run.countCallsRun(calls.length);
  const options: BatchOptions = callOptions(run, message);
  if (setup.mode !== undefined) options.mode = setup.mode;
  if (executionIds !== undefined) options.executionIds = executionIds;
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

async function runSome(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
  executionIds: readonly string[] | undefined,
  refusals: readonly (FailureInput | undefined)[],
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const [index, call] of calls.entries()) {
    const refusal = refusals[index];
    if (refusal !== undefined) results[index] = refuse(run, message, call, refusal, executionIds?.[index]);
  }
  const running = [...calls.keys()].filter((index) => refusals[index] === undefined);
  if (running.length === 0) return results;
  const ran = await runAll(
    run,
    message,
    running.map((index) => calls[index]!),
    executionIds === undefined ? undefined : running.map((index) => executionIds[index]!),
  );
  for (const [position, index] of running.entries()) results[index] = ran[position]!;
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
  const { repeats, setup, turn } = run;
  for (const [index, call] of calls.entries()) {
    const result = results[index]!;
    const advice = result.failure?.code === "TOOL_REPEATED" ? undefined : repeats?.observe(call, result);
    if (advice !== undefined) results[index] = advised(result, advice);
    tell(run, results[index]!, call);
  }
  run.append(toolMessage(results));
  if (setup.journal === undefined) return;
  await run.write(results.map((result) => ({ type: "result", turn, result: plainResult(result) })));
}

function advised(result: ToolResult, text: string): ToolResult {
  return {
    ...result,
    advice: [...(result.advice ?? []), text],
    content: [...result.content, { type: "text", text: `[advice] ${text}` }],
  };
}

function tell({ setup }: RunState, result: ToolResult, call: ToolCallPart): void {
  if (setup.onToolResult === undefined) return;
  try {
    const answer = setup.onToolResult(result, call);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // A listener never changes a run.
  }
}

/** Calls that could not be written down do not run: after a crash nobody would know of them. */
function unwritten(
  run: RunState,
  asking: AssistantMessage,
  calls: readonly ToolCallPart[],
  reason: string,
): Answered {
  const message = `The run's journal could not be written (${reason}), so the call did not run.`;
  const results = calls.map((call) => refuse(run, asking, call, { code: "TOOL_UNAVAILABLE", message }));
  run.append(toolMessage(results));
  return { results, ending: { status: "failed", error: { code: "STORE_FAILED", message } } };
}
