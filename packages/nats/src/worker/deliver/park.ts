import type { WaitingResult } from "@toolrig/core/kit";
import type { WaitingState } from "../../wire/messages.ts";
import type { Payloads } from "../../wire/payload.ts";
import type { Claimed } from "./claim.ts";
import { commitEntry } from "./commit.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * Gives a call up that waits for the world: its wait is written, so any worker can see it through. The message leaves the
 * queue when the ledger says that it waits; until then whoever finds it finds its wait, too.
 */
export async function park(claimed: Claimed, result: WaitingResult, parts: DeliveryParts): Promise<void> {
  const { call, message } = claimed;
  const { code, counters, early, executor, ledger, probe } = parts;
  // What waits for an answer is started anew: the code that asked never goes on.
  if (result.waiting.kind === "question") code.leave(call.pipelineId);
  probe?.("parking", call);
  const entry = () => waitingEntry(claimed, result, claimed.progress.attempt, parts.payloads);
  const committed = await commitEntry(claimed, entry, parts);
  counters.parked += 1;
  probe?.("parked", call);
  const state = committed === "committed" ? "waiting" : (await ledger.read(call.key))?.state.state;
  if (result.waiting.kind !== "question") await early.bring(call.pipelineId);
  if (state !== "started") message.ack();
  // This worker was taken for lost, and the call is over: nobody waits for what its tool began.
  if (state === "final") await executor.waits.cancel(call.pipelineId, { reason: "the call was over before" });
}

/** The entry of a call that waits. What its caller may be told meanwhile is cut to what fits a message. */
export function waitingEntry(
  { call }: Pick<Claimed, "call">,
  result: WaitingResult,
  attempt: number,
  payloads: Payloads,
): string {
  const { fingerprint } = call;
  const { value: _, details: __, ...short } = result;
  const { note: ___, ...waiting } = result.waiting;
  const entry = (told: WaitingState["result"]) => {
    const state: WaitingState = { state: "waiting", attempt, fingerprint, at: Date.now(), result: told };
    return JSON.stringify(state);
  };
  const fitting = [result, short].map(entry).find((each) => payloads.fits(each));
  return fitting ?? entry({ ...short, content: [], waiting });
}
