import type { Ledger } from "@toolrig/core/kit";

/** The fleet's journal has decided before a call gets to the executor: a second ledger in memory would only cost. */
export const journaled: Ledger = {
  intend: () => ({ state: "new" }),
  complete() {},
  fail() {},
  unknown() {},
  withdraw() {},
  open: () => [],
};
