import type { ToolResult } from "@toolrig/core";
import { failedResult, hasSideEffects, messageOf } from "@toolrig/core/kit";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/** Whether the outcome is the call's, or came after somebody else had taken the call over. */
export type Committed = "committed" | "late";

const TRIES = 5;
const REFUSED_PAUSE_MS = 500;

/**
 * Writes the outcome into the ledger, from where the server tells the caller. A late one goes nowhere. What a tool did must
 * not be lost: a server that is away or full is waited for, and an entry that was deleted meanwhile is written anew.
 */
export async function commit(
  claimed: Claimed,
  outcome: ToolResult,
  parts: DeliveryParts,
): Promise<Committed> {
  const { key } = claimed.call;
  const entry = await entryOf(claimed, outcome, parts);
  let { revision } = claimed;
  for (let tries = 0; tries < TRIES; tries++) {
    if ((await write(key, entry, revision, parts)) !== undefined) return "committed";
    const found = await parts.ledger.insist(key);
    if (found !== undefined && found.state.state !== "lost") break;
    revision = found?.revision ?? 0;
  }
  parts.counters.late += 1;
  return "late";
}

/** A result that cannot be kept is answered as such, by an entry that is small enough. */
async function entryOf(
  { call, tool }: Claimed,
  outcome: ToolResult,
  { payloads, publisher }: DeliveryParts,
): Promise<string> {
  const { key, fingerprint } = call;
  try {
    return await payloads.entry(key, fingerprint, outcome);
  } catch (error) {
    if (publisher.closed) throw error;
    const happened = hasSideEffects(tool.safety);
    const message = `${tool.name} ended, but its result is too large for a message and could not be kept: ${messageOf(error)}.`;
    const unkept = failedResult(call.call, call.executionId, {
      code: happened ? "TOOL_OUTCOME_UNKNOWN" : "TOOL_EXECUTION_FAILED",
      message: happened ? `${message} What it does has happened unless it failed.` : message,
    });
    return payloads.entry(key, fingerprint, { ...unkept, attempts: outcome.attempts });
  }
}

async function write(
  key: string,
  entry: string,
  revision: number,
  { ledger, publisher }: DeliveryParts,
): Promise<number | undefined> {
  for (;;) {
    try {
      return await ledger.write(key, entry, revision);
    } catch (error) {
      if (publisher.closed) throw error;
      await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
    }
  }
}
