import type { EventStream } from "../call/events.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { Journal } from "../stores/journal.ts";
import { type Ledger, wrapLedger } from "../stores/ledger.ts";
import type { CallStore } from "../stores/records.ts";
import type { Wait, WaitStore } from "../stores/waits.ts";

/** Marks a place at which a process may be killed. Returns when it is not. */
export type CrashPoint = (stage: string) => void;

/** The same around the writes of a store, which may also be made to wait there. See `slowly`. */
export type StorePoint = (stage: string) => MaybePromise<void>;

/**
 * Makes every write of a store slow: it pauses before and after each, so that orders of writes which only a busy disk shows are
 * tried everywhere. Pauses differ from one another, from 0 to `ms` milliseconds, in the same sequence in every process.
 *
 * @example
 * ```ts
 * import { crashableLedger, slowly } from "@toolrig/core/testing";
 * import { openStore } from "@toolrig/store";
 *
 * const point = slowly(20);
 * const ledger = crashableLedger(openStore("rig.db").ledger, point);
 * console.log(await ledger.withdraw("exec_1")); //=> undefined
 * ```
 */
export function slowly(ms: number, point: CrashPoint = () => {}): StorePoint {
  let seed = 1;
  return async (stage) => {
    seed = (seed * 48_271) % 2_147_483_647;
    await new Promise((resolve) => setTimeout(resolve, (ms * seed) / 2_147_483_647));
    point(stage);
  };
}

/** A ledger with a place to be killed before and after each of its writes. */
export function crashableLedger(ledger: Ledger, point: StorePoint): Ledger {
  return wrapLedger(ledger, {
    intend: (intent) => between(point, "intent", () => ledger.intend(intent)),
    complete: (id, result) => between(point, "outcome", () => ledger.complete(id, result)),
    fail: (id, result) => between(point, "outcome", () => ledger.fail(id, result)),
    unknown: (id, result) => between(point, "unknown", () => ledger.unknown(id, result)),
    withdraw: (id) => between(point, "withdraw", () => ledger.withdraw(id)),
    ...(ledger.park !== undefined && {
      park: (id: string) => between(point, "park", () => ledger.park?.(id) ?? false),
    }),
    ...(ledger.unpark !== undefined && {
      unpark: (id: string) => between(point, "unpark", () => ledger.unpark?.(id) ?? false),
    }),
  });
}

/** A store of waits with a place to be killed before and after each of its writes. */
export function crashableWaits(waits: WaitStore, point: StorePoint): WaitStore {
  return {
    add: (wait) => between(point, `${wait.kind} wait`, () => waits.add(wait)),
    ...(waits.park !== undefined && {
      park: (wait: Wait, ledger: Ledger) =>
        between(point, `${wait.kind} wait with its park`, () => waits.park?.(wait, ledger)),
    }),
    revise: (id, revise) => between(point, "revised wait", () => waits.revise(id, revise)),
    get: (id) => waits.get(id),
    list: (filter) => waits.list(filter),
    due: (at, limit) => waits.due(at, limit),
    counts: () => waits.counts(),
  };
}

/** A journal with a place to be killed before and after each of its writes. */
export function crashableJournal(journal: Journal, point: StorePoint): Journal {
  return {
    begin: (header) => between(point, "journal begin", () => journal.begin(header)),
    append: (runId, entries, expected) => {
      const what = [...new Set(entries.map(({ type }) => type))].join(" and ");
      return between(point, `journal ${what}`, () => journal.append(runId, entries, expected));
    },
    header: (runId) => journal.header(runId),
    entries: (runId) => journal.entries(runId),
    runs: (query) => journal.runs(query),
  };
}

/** A call store with a place to be killed before and after each batch. */
export function crashableStore(store: CallStore, point: StorePoint): CallStore {
  return { store: (records) => between(point, "record", () => store.store(records)) };
}

/** A place to be killed at every event of a stream. */
export function crashAtEvents(events: EventStream, point: CrashPoint): () => void {
  return events.on((event) => point(event.type));
}

async function between<T>(point: StorePoint, stage: string, work: () => MaybePromise<T>): Promise<T> {
  const before = point(`before ${stage}`);
  if (before !== undefined) await before;
  const answer = await work();
  const after = point(`after ${stage}`);
  if (after !== undefined) await after;
  return answer;
}
