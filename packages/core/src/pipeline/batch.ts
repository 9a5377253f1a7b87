import type { BatchOptions, CallOptions, Refusal, ToolCall } from "../call/call.ts";
import type { ToolResult } from "../call/result.ts";
import { newId } from "../ids.ts";
import { execute } from "./execute/execute.ts";
import { Execution, type Resolved } from "./execution.ts";
import { heldBack } from "./held-back.ts";
import type { Pipeline } from "./pipeline.ts";
import { prepare } from "./prepare/prepare.ts";
import type { Services } from "./services.ts";
import { announceSettled, settle } from "./settle/settle.ts";

/**
 * Takes calls through each phase together. Starts, hooks, ends and results come in source order; only execute is
 * concurrent, unless the mode or one of the tools is sequential. A call that stops the run holds back those after it.
 */
export async function runBatch(
  services: Services,
  pipeline: Pipeline,
  calls: readonly ToolCall[],
  // One id for several calls would make them one execution, so a program without types cannot give it either.
  {
    mode,
    executionIds,
    refusals,
    signals,
    executionId: _,
    ...options
  }: BatchOptions & { executionId?: never },
): Promise<ToolResult[]> {
  const batch: InBatch[] = [];
  const id = newId("batch");
  let stopped: Execution | undefined;
  for (const [index, call] of calls.entries()) {
    const own = ownOptions(options, executionIds?.[index], refusals?.[index], signals?.[index]);
    const place = { id, size: calls.length, index };
    const execution = new Execution(services, pipeline, call, own, undefined, place);
    const prepared = await prepare(execution, stopped);
    batch.push({ execution, prepared });
    if (!(prepared instanceof Execution)) overAtOnce(execution, prepared);
    if (execution.stop !== undefined) stopped ??= execution;
  }
  const executed = isSequential(batch, mode ?? services.mode)
    ? await executeInTurn(batch)
    : await Promise.all(batch.map(executeOne));
  const results: ToolResult[] = [];
  for (const { execution, outcome } of executed) results.push(await settle(execution, outcome));
  return results;
}

/** A call that does not run is over before the others have: what they take is not its own time. */
function overAtOnce(execution: Execution, outcome: ToolResult): void {
  execution.endedAt = execution.services.clock.now();
  if ((execution.batch?.size ?? 1) > 1) announceSettled(execution, outcome);
}

/** Those of the batch, with what only one of its calls has. */
function ownOptions(
  options: CallOptions,
  executionId: string | undefined,
  refusal: Refusal | undefined,
  signal: AbortSignal | undefined,
): CallOptions {
  if (executionId === undefined && refusal === undefined && signal === undefined) return options;
  const own: CallOptions = { ...options, refusal };
  if (executionId !== undefined) own.executionId = executionId;
  if (signal !== undefined) own.signal = signal;
  return own;
}

interface InBatch {
  execution: Execution;
  prepared: Resolved | ToolResult;
}

interface Executed {
  execution: Execution;
  outcome: ToolResult;
}

/** One sequential tool makes its whole batch sequential. */
function isSequential(batch: readonly InBatch[], mode: "parallel" | "sequential"): boolean {
  return (
    mode === "sequential" ||
    batch.some(({ prepared }) => prepared instanceof Execution && prepared.tool.mode === "sequential")
  );
}

async function executeOne({ execution, prepared }: InBatch): Promise<Executed> {
  if (!(prepared instanceof Execution)) return { execution, outcome: prepared };
  const outcome = await execute(prepared);
  if ((execution.batch?.size ?? 1) > 1) announceSettled(execution, outcome);
  return { execution, outcome };
}

async function executeInTurn(batch: readonly InBatch[]): Promise<Executed[]> {
  const executed: Executed[] = [];
  let stopped: Execution | undefined;
  for (const each of batch) {
    const { execution, prepared } = each;
    if (stopped === undefined || !(prepared instanceof Execution)) executed.push(await executeOne(each));
    else executed.push({ execution, outcome: heldBack(execution, stopped) });
    // Guards of arguments that an approver changed are asked only while the call is carried out.
    if (prepared instanceof Execution && execution.stop !== undefined) stopped ??= execution;
  }
  return executed;
}
