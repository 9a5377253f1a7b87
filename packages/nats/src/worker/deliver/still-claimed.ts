import type { MaybePromise } from "@toolrig/core/kit";
import type { CallLedger } from "../../wire/call-ledger.ts";
import type { RunningCall } from "./running-calls.ts";

/** The entry by which a call is this worker's. */
export interface Claim {
  readonly revision: number;
  /** When it was known to be there, by the clock of `performance`. */
  confirmedAt: number;
}

/**
 * Whether a call that is about to start is still this worker's. One that was slow since its claim, because the process was
 * paused or somebody was asked first, may have been taken over, and its caller told that nobody knows: it reads its entry
 * again. Calls from inside a call have none.
 */
export function stillClaimed(
  running: RunningCall | undefined,
  { ledger, ackWaitMs }: { ledger: CallLedger; ackWaitMs: number },
): MaybePromise<boolean> {
  const claim = running?.progress.claim;
  if (running === undefined || claim === undefined) return true;
  return performance.now() - claim.confirmedAt < ackWaitMs / 2 || confirm(running.call.key, claim, ledger);
}

async function confirm(key: string, claim: Claim, ledger: CallLedger): Promise<boolean> {
  const askedAt = performance.now();
  const found = await ledger.insist(key);
  claim.confirmedAt = askedAt;
  return found?.revision === claim.revision;
}
