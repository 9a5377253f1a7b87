import type { Ledger } from "@toolrig/core/kit";

/**
 * For the executor of a worker. Its calls are claimed in the fleet's ledger before they get to it, so every one is new: a
 * second ledger in memory would only cost.
 */
export const claimedLedger: Ledger = {
  intend: () => ({ state: "new" }),
  complete() {},
  fail() {},
  unknown() {},
  withdraw() {},
  open: () => [],
};
