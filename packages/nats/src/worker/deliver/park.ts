import type { ToolResult, Waiting } from "@toolrig/core";
import type { WaitingState } from "../../wire/messages.ts";
import type { Claimed } from "./claim.ts";
import { commitEntry } from "./commit.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * Gives a call up that waits for the world: its wait is written, so any worker can see it through. The message leaves the
 * queue when the ledger says that it waits; until then whoever finds it finds its wait, too.
 */
export async function park(
  claimed: Claimed,
  result: ToolResult & { waiting: Waiting },
  parts: DeliveryParts,
): Promise<void> {
  const { call, message } = claimed;
  const { code, counters, ledger, probe } = parts;
  // What waits for an answer is started anew: the code that asked never goes on.
  if (result.waiting.kind === "question") code.leave(call.executionId);
  probe?.("parking", call);
  const entry = waitingEntry(claimed, result, claimed.progress.attempt);
  const committed = await commitEntry(claimed, entry, parts);
  counters.parked += 1;
  probe?.("parked", call);
  const isKnown = committed === "committed" || (await ledger.read(call.key))?.state.state !== "started";
  if (isKnown) message.ack();
}

/** The entry of a call that waits. */
export function waitingEntry(
  { call }: Pick<Claimed, "call">,
  result: ToolResult & { waiting: Waiting },
  attempt: number,
): string {
  const { fingerprint } = call;
  const state: WaitingState = { state: "waiting", attempt, fingerprint, at: Date.now(), result };
  return JSON.stringify(state);
}

export function isWaiting(result: ToolResult): result is ToolResult & { waiting: Waiting } {
  return result.waiting !== undefined;
}
