import type { Ledger } from "@toolrig/core/kit";

/** A ledger that takes no intent before `ready`: no side effect starts while an earlier one is being looked into. */
export function ledgerAfter(ready: Promise<unknown>, ledger: Ledger): Ledger {
  return {
    book: ledger.book ?? ledger,
    async intend(intent) {
      await ready;
      return ledger.intend(intent);
    },
    complete: (executionId, result) => ledger.complete(executionId, result),
    fail: (executionId, result) => ledger.fail(executionId, result),
    unknown: (executionId, result) => ledger.unknown(executionId, result),
    ...(ledger.park !== undefined && { park: (executionId: string) => ledger.park?.(executionId) ?? false }),
    ...(ledger.unpark !== undefined && {
      unpark: (executionId: string) => ledger.unpark?.(executionId) ?? false,
    }),
    withdraw: (executionId) => ledger.withdraw(executionId),
    open: () => ledger.open(),
    ...(ledger.get !== undefined && { get: (executionId: string) => ledger.get?.(executionId) }),
  };
}
