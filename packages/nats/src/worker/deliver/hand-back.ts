import type { ToolResult } from "@toolrig/core";
import { failedResult, type MaybePromise, mayRepeat } from "@toolrig/core/kit";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * The outcome of a call: its result, unless the worker stopped while the tool ran. Then what may run again does so elsewhere,
 * and the rest has an open outcome.
 */
export function handBack(
  claimed: Claimed,
  result: ToolResult,
  parts: DeliveryParts,
): MaybePromise<ToolResult | "settled"> {
  const cutOff = parts.running.givenUp && !claimed.abort.signal.aborted && isCutOff(result);
  return cutOff ? giveBack(claimed, parts) : result;
}

async function giveBack(claimed: Claimed, parts: DeliveryParts): Promise<ToolResult | "settled"> {
  const { message, call, tool } = claimed;
  const { worker, counters } = parts;
  counters.handedBack += 1;
  if (mayRepeat(tool.safety)) {
    await uncount(claimed, parts).catch(() => {});
    message.nak();
    return "settled";
  }
  const said = `Worker ${worker} was stopped while it ran ${tool.name}. It may have happened; it was not run again.`;
  return failedResult(call.call, call.executionId, { code: "TOOL_OUTCOME_UNKNOWN", message: said });
}

/** A worker that was asked to stop is no sign of poison, so this start of the call does not count as one that lost its worker. */
async function uncount(
  { call, revision, progress }: Claimed,
  { worker, ledger }: DeliveryParts,
): Promise<void> {
  const { key, fingerprint } = call;
  const entry = { state: "started", worker, attempt: progress.attempt - 1, fingerprint, at: Date.now() };
  await ledger.write(key, JSON.stringify(entry), revision);
}

/** Whether the executor ended the call because it was stopped. */
function isCutOff({ failure }: ToolResult): boolean {
  return failure?.code === "TOOL_CANCELLED" || failure?.code === "TOOL_UNAVAILABLE";
}
