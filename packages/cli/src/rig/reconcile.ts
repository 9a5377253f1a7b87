import {
  type CallRecord,
  type Reconciliation,
  type Redactor,
  reconcileOpen,
  type ToolSource,
} from "@toolrig/core";
import type { Ledger } from "@toolrig/core/kit";
import { recoveredRecord } from "@toolrig/core/kit";
import type { LedgerEntry, Store } from "@toolrig/store";

/** Closes what an earlier process left open in a store, and records what it came to. */
export async function reconcile(
  store: Store,
  tools: ToolSource,
  redactor: Redactor,
): Promise<readonly Reconciliation[]> {
  const found = await reconcileOpen(store.ledger, tools);
  const closed = found.flatMap(({ intent }) => recordOf(store.ledger.get(intent.executionId)));
  store.records.store(closed.map((record) => redactor.value(record) as CallRecord));
  return found;
}

/** A ledger that takes no intent before `ready`: no side effect starts while an earlier one is being looked into. */
export function ledgerAfter(ready: Promise<unknown>, ledger: Ledger): Ledger {
  return {
    async intend(intent) {
      await ready;
      return ledger.intend(intent);
    },
    complete: (executionId, result) => ledger.complete(executionId, result),
    fail: (executionId, result) => ledger.fail(executionId, result),
    unknown: (executionId, result) => ledger.unknown(executionId, result),
    withdraw: (executionId) => ledger.withdraw(executionId),
    open: () => ledger.open(),
    ...(ledger.get !== undefined && { get: (executionId: string) => ledger.get?.(executionId) }),
  };
}

function recordOf(entry: LedgerEntry | undefined): CallRecord[] {
  if (entry?.result === undefined) return [];
  const { result, args, version, runId, at, closedAt = at } = entry;
  return [recoveredRecord({ result, args, version, runId, startTime: at, endTime: closedAt })];
}
