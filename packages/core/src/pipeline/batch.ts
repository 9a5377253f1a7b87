import type { BatchOptions, CallOptions, Refusal, ToolCall } from "../call/call.ts";
import { runBatch } from "../call/call-batch.ts";
import type { ToolResult } from "../call/result.ts";
import { newId } from "../ids.ts";
import { Execution } from "./execution.ts";
import { LocalCall } from "./local-call.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Services } from "./services.ts";

/** Runs calls that are given at once, in this process. */
export function runLocalBatch(
  services: Services,
  pipeline: Pipeline,
  calls: readonly ToolCall[],
  // One id for several calls would make them one execution, so a program without types cannot give it either.
  {
    mode = services.mode,
    executionIds,
    refusals,
    signals,
    executionId: _,
    ...options
  }: BatchOptions & { executionId?: never },
): Promise<ToolResult[]> {
  const id = newId("batch");
  const batch = calls.map((call, index) => {
    const own = ownOptions(options, executionIds?.[index], refusals?.[index], signals?.[index]);
    const place = { id, size: calls.length, index };
    return new LocalCall(new Execution(services, pipeline, call, own, undefined, place), mode);
  });
  return runBatch(batch, mode);
}

/** The options of the batch, with those that only one of its calls has. */
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
