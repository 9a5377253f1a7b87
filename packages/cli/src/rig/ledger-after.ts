import { type Ledger, wrapLedger } from "@toolrig/core/kit";

/** A ledger that takes no intent before `ready`: no side effect starts while an earlier one is being looked into. */
export function ledgerAfter(ready: Promise<unknown>, ledger: Ledger): Ledger {
  return wrapLedger(ledger, {
    async intend(intent) {
      await ready;
      return ledger.intend(intent);
    },
  });
}
