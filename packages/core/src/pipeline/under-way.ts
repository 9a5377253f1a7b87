import type { Services } from "./services.ts";

/** The executions that are under way with ids that callers chose, whichever executor of this process they came to. */
const UNDER_WAY = new WeakMap<object, Map<string, Promise<unknown>>>();

/** The executions that this process has under way in a ledger, by their ids. */
export function underWayIn({ ledger }: Services): Map<string, Promise<unknown>> {
  const book = ledger.book ?? ledger;
  const owners = UNDER_WAY.get(book) ?? new Map<string, Promise<unknown>>();
  UNDER_WAY.set(book, owners);
  return owners;
}
