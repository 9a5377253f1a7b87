import type { ToolResult } from "@toolrig/core";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/** Whether the outcome is the call's, or came after somebody else had taken the call over. */
export type Committed = "committed" | "late";

/** Writes the outcome into the ledger, from where the server tells the caller. A late one goes nowhere. */
export async function commit(
  { call, revision }: Claimed,
  outcome: ToolResult,
  { ledger, payloads, counters }: DeliveryParts,
): Promise<Committed> {
  const entry = await payloads.entry(call.key, call.fingerprint, outcome);
  if ((await ledger.write(call.key, entry, revision)) !== undefined) return "committed";
  counters.late += 1;
  return "late";
}
