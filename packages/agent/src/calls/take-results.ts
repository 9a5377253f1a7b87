import type { ToolResult } from "@toolrig/core";
import { isWaiting, type JournalEntry } from "@toolrig/core/kit";
import { type ToolCallPart, toolMessage } from "../model/message.ts";
import { plainResult } from "../run/journal.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { holdCall } from "./hold-call.ts";
import { countRunOf } from "./nested-run.ts";
import { notOver, placeholder, waitingCall } from "./placeholder.ts";

interface TakenResults {
  /** One a call, in their order. */
  results: readonly ToolResult[];
  /** The run is suspended: some of them wait. */
  suspended: Ending | undefined;
}

/**
 * Takes note of the results that were given, each to the next call that has none, and writes them down. Once there is one a
 * call, they join the transcript.
 */
export async function takeResults(
  run: RunState,
  calls: readonly ToolCallPart[],
  known: readonly (ToolResult | undefined)[],
  given: readonly ToolResult[],
): Promise<TakenResults> {
  const goesOn = run.setup.onWaiting === "continue";
  const open = calls.filter((_, index) => known[index] === undefined);
  const fresh = given.map((result, index) => {
    if (!isWaiting(result)) return takeNote(run, open[index]!, result);
    return goesOn ? placeholder(result) : result;
  });
  const rest = fresh.values();
  const results = known.flatMap((before) => before ?? rest.next().value ?? []);
  const waits = results.flatMap((result) => waitingCall(result) ?? []);
  const isSuspended = waits.length > 0 && !goesOn;
  if (isSuspended) run.suspendWith(toolMessage(results.map(notOver)));
  else run.append(toolMessage(results));
  await write(run, isSuspended ? fresh.filter(({ waiting }) => waiting === undefined) : fresh);
  if (isSuspended) return { results, suspended: { status: "waiting", waits } };
  for (const [index, { waiting, executionId }] of results.entries())
    if (waiting !== undefined) holdCall(run, { call: calls[index]!, executionId, waiting });
  return { results, suspended: undefined };
}

async function write(run: RunState, results: readonly ToolResult[]): Promise<void> {
  if (run.setup.journal === undefined) return;
  const { turn } = run;
  const entries: JournalEntry[] = results.map((result) => ({
    type: "result",
    turn,
    result: plainResult(result),
  }));
  const spent = run.allowance.takeUnwritten();
  if (spent !== undefined) entries.push({ type: "spent", turn, ...spent });
  if (entries.length > 0) await run.write(entries);
}

/** Counts what it took, and tells who listens to results. Gives the result as the model reads it. */
export function takeNote(run: RunState, call: ToolCallPart, given: ToolResult): ToolResult {
  const result = withAdvice(run, call, given);
  countRunOf(run, result);
  tellListener(run, result, call);
  return result;
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
