import type { ToolResult } from "@toolrig/core";
import { type Ledger, type MaybePromise, wrapLedger } from "@toolrig/core/kit";

/**
 * For the executor of a worker. Its calls are claimed in the fleet's ledger before they get to it, so every one is new: a
 * second ledger in memory would only cost.
 */
const NOTHING_MORE: Ledger = {
  intend: () => ({ state: "new" }),
  complete: () => true,
  fail: () => true,
  unknown: () => true,
  withdraw() {},
  open: () => [],
};

/** The calls that are claimed or parked in the fleet's ledger. */
export interface FleetCalls {
  /** Whether a call that is about to start is this worker's. */
  isClaimed(executionId: string): MaybePromise<boolean>;
  /** Whether a call was parked, and what it waited for has come. The outcome of others is written by who delivered them. */
  isParked(executionId: string): boolean;
  /** Whether what came for a call that waited counts, and this worker sees it through. */
  begin(executionId: string): Promise<boolean>;
  settled(executionId: string, result: ToolResult): Promise<void>;
}

/**
 * Lets a side effect begin only while the call is this worker's, and one worker see a call through that waited. What else is
 * recorded, `inner` records.
 */
export function claimedLedger(fleet: FleetCalls, inner: Ledger = NOTHING_MORE): Ledger {
  const close = (how: "complete" | "fail" | "unknown") => (id: string, result: ToolResult) => {
    if (!fleet.isParked(id)) return inner[how](id, result);
    // Another worker's own ledger may know nothing of it; the fleet's decides.
    return fleet.begin(id).then(async (counts) => {
      if (counts) await inner[how](id, result);
      return counts;
    });
  };
  const wrapped = wrapLedger(inner, {
    intend(intent) {
      const claimed = fleet.isClaimed(intent.executionId);
      if (claimed === true) return inner.intend(intent);
      return Promise.resolve(claimed).then((still) => (still ? inner.intend(intent) : { state: "running" }));
    },
    complete: close("complete"),
    fail: close("fail"),
    unknown: close("unknown"),
    settled: (id, result) => fleet.settled(id, result),
  });
  if (inner !== NOTHING_MORE) return wrapped;
  const { book: _, ...own } = wrapped;
  return own;
}
