import type { Ledger, MaybePromise } from "@toolrig/core/kit";

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

/** Lets a side effect begin only while the call is this worker's. What else is recorded, `inner` records. */
export function claimedLedger(
  isClaimed: (executionId: string) => MaybePromise<boolean>,
  inner: Ledger = NOTHING_MORE,
): Ledger {
  return {
    ...(inner !== NOTHING_MORE && { book: inner.book ?? inner }),
    intend(intent) {
      const claimed = isClaimed(intent.executionId);
      if (claimed === true) return inner.intend(intent);
      return Promise.resolve(claimed).then((still) => (still ? inner.intend(intent) : { state: "running" }));
    },
    complete: (id, result) => inner.complete(id, result),
    fail: (id, result) => inner.fail(id, result),
    unknown: (id, result) => inner.unknown(id, result),
    ...(inner.park !== undefined && { park: (id: string) => inner.park?.(id) ?? false }),
    ...(inner.unpark !== undefined && { unpark: (id: string) => inner.unpark?.(id) ?? false }),
    withdraw: (id) => inner.withdraw(id),
    open: () => inner.open(),
    ...(inner.get !== undefined && { get: (id: string) => inner.get?.(id) }),
  };
}
