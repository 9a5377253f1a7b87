import type { ToolResult } from "@toolrig/core";
import { recoveredRecord } from "@toolrig/core/kit";
import type { Admitted } from "./admit.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * Records a call that this worker ended without running it, because its worker was lost: nobody else has a record of it. A store that
 * fails costs the record, and the outcome stays in the ledger.
 */
export async function recordLoss(
  { call, tool }: Admitted,
  result: ToolResult,
  startTime: number,
  { losses, counters }: DeliveryParts,
): Promise<void> {
  if (losses === undefined) return;
  const { store, redactor } = losses;
  const { principal, runId, source } = call.options;
  const record = recoveredRecord({
    result: { ...result, executionId: call.pipelineId },
    args: call.call.arguments,
    version: tool.version,
    runId,
    principal,
    source,
    startTime,
    endTime: Date.now(),
  });
  try {
    await store.store([redactor.fact(record)]);
  } catch {
    counters.errors += 1;
  }
}
