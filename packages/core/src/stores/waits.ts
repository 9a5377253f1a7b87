import type { Principal } from "../call/principal.ts";
import { WAIT_KINDS, type WaitKind } from "../call/waiting.ts";
import { copy } from "../copy.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { count, flag, text as id, oneOf, text } from "../options/kinds.ts";
import { DueQueue } from "./due-queue.ts";
import type { Ledger } from "./ledger.ts";

/** Something that a call waits for: what it is, who may end it, until when, and what came. Plain data. */
export interface Wait {
  /** See `waitId`. */
  readonly id: string;
  readonly kind: WaitKind;
  readonly executionId: string;
  readonly callId: string;
  /** Of the tool. */
  readonly name: string;
  readonly runId?: string;
  /** On whose behalf the call is made. */
  readonly principal?: Principal;
  /** What people are told of it. */
  readonly note?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When it ends by itself. Absent: it waits. */
  readonly expiresAt?: number;
  /** When somebody has to look at it next: to check, to end it, or to see through what its end began. Absent: never. */
  readonly nextAt?: number;
  /** Hashes of the tokens that may end it. */
  readonly tokens?: readonly string[];
  /** What its kind keeps: the question, the parked call. */
  readonly body: unknown;
  /** Absent while it waits. Once there, it stays as it is. */
  readonly end?: WaitEnd;
}

/** How a wait ended, once and for good. */
export interface WaitEnd {
  readonly how: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by?: Principal;
  /** What came. */
  readonly body?: unknown;
}

/** A wait that has ended. What follows an end takes one of these, so that "no end yet" cannot pass for one. */
export interface EndedWait extends Wait {
  readonly end: WaitEnd;
}

export function hasEnded(wait: Wait): wait is EndedWait {
  return wait.end !== undefined;
}

export interface WaitFilter {
  /** Only those that wait. */
  open?: boolean;
  kind?: WaitKind;
  executionId?: string;
  runId?: string;
  /** Of the tool. */
  name?: string;
  /** At most so many. Default: all. */
  limit?: number;
}

export const waitFilter = declareOptions("a filter of waits", {
  open: flag(),
  kind: oneOf(WAIT_KINDS),
  executionId: id(),
  runId: id(),
  name: text(),
  limit: count(0),
} satisfies OptionTable<WaitFilter>);

/** How many of a kind wait, and since when the oldest does. */
export interface WaitCount {
  kind: WaitKind;
  count: number;
  /** Epoch milliseconds. */
  oldest: number;
}

/** A wait of an execution that was to be parked. */
export interface Parked {
  wait: Wait;
  /** Whether the ledger says that the execution waits since. False when it was not open, or has no ledger that can. */
  parked: boolean;
}

/** Where waits are kept. A durable store has them on disk before a method resolves. */
export interface WaitStore {
  /** Adds a wait, unless there is one of that id: then that one is returned, ended or not. */
  add(wait: Wait): MaybePromise<Wait>;
  /**
   * Adds a wait and parks its execution in the ledger, in one transaction. Undefined when the ledger is kept elsewhere: then
   * nothing was written. See `addParked`.
   */
  park?(wait: Wait, ledger: Ledger): MaybePromise<Parked | undefined>;
  get(id: string): MaybePromise<Wait | undefined>;
  /**
   * Replaces a wait by what `revise` makes of it, with nobody in between; `undefined` leaves it. Id and kind stay. False
   * when nothing was replaced. `revise` has no effects: it may be asked more than once.
   */
  revise(id: string, revise: (wait: Wait) => Wait | undefined): MaybePromise<boolean>;
  /**
   * Whether an execution of a tool has waited for anything, ended or not. Absent where asking costs a request to a server: then only
   * the process that put an execution aside knows.
   */
  hasWaited?(executionId: string, name: string): MaybePromise<boolean>;
  /**
   * Approvals that were given between two times (epoch milliseconds) and whose executions neither ledger nor records know, the oldest
   * first. Absent where one store has not got all three.
   */
  approvedNotRun?(range: { after: number; before: number; limit: number }): MaybePromise<readonly Wait[]>;
  /** Oldest first. */
  list(filter?: WaitFilter): MaybePromise<readonly Wait[]>;
  /** Those whose `nextAt` has come, the most overdue first. Costs the same however many wait. */
  due(at: number, limit: number): MaybePromise<readonly Wait[]>;
  /** Of those that wait, by kind. */
  counts(): MaybePromise<readonly WaitCount[]>;
}

/** An execution waits for one result and one approval; it may ask any number of questions, and be started more than once. */
export function waitId(
  executionId: string,
  what: "approval" | "result" | `question-${string}` | `background-${number}`,
): string {
  return `${executionId}:${what}`;
}

/**
 * Adds a wait and parks its execution: in one transaction where both are kept in one place, else the wait first. A process that
 * dies between the two leaves an open intent with a wait, which is taken for parked.
 */
export async function addParked(waits: WaitStore, ledger: Ledger, wait: Wait): Promise<Parked> {
  const together = await waits.park?.(wait, ledger);
  if (together !== undefined) return together;
  const added = await waits.add(wait);
  return { wait: added, parked: (await ledger.park?.(wait.executionId)) === true };
}

/**
 * Waits for the life of the process. Those that wait are always kept; of ended ones, the latest `capacity`. What is given and
 * what is handed out are copies, as they are of a store on disk.
 */
export class MemoryWaitStore implements WaitStore {
  readonly #waits = new Map<string, Wait>();
  readonly #due = new DueQueue();
  readonly #ended = new Set<string>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  add(wait: Wait): Wait {
    const known = this.#waits.get(wait.id);
    if (known !== undefined) return copy(known);
    this.#put(copy(wait));
    return copy(wait);
  }

  get(id: string): Wait | undefined {
    return copy(this.#waits.get(id));
  }

  revise(id: string, revise: (wait: Wait) => Wait | undefined): boolean {
    const known = this.#waits.get(id);
    const revised = known === undefined ? undefined : revise(copy(known));
    if (known === undefined || revised === undefined) return false;
    const { kind } = known;
    this.#put({ ...copy(revised), id, kind });
    return true;
  }

  list({ limit, ...filter }: WaitFilter = {}): Wait[] {
    const found: Wait[] = [];
    for (const wait of this.#waits.values()) {
      if (limit !== undefined && found.length >= limit) break;
      if (matchesWait(wait, filter)) found.push(copy(wait));
    }
    return found;
  }

  due(at: number, limit: number): Wait[] {
    return this.#due.until(at, limit).flatMap((id) => copy(this.#waits.get(id)) ?? []);
  }

  counts(): WaitCount[] {
    const counts = new Map<WaitKind, WaitCount>();
    for (const { kind, createdAt, end } of this.#waits.values()) {
      if (end !== undefined) continue;
      const { count, oldest } = counts.get(kind) ?? { count: 0, oldest: createdAt };
      counts.set(kind, { kind, count: count + 1, oldest: Math.min(oldest, createdAt) });
    }
    return [...counts.values()];
  }

  #put(wait: Wait): void {
    this.#waits.set(wait.id, wait);
    this.#due.set(wait.id, wait.nextAt);
    if (wait.end === undefined || wait.nextAt !== undefined) return;
    this.#ended.add(wait.id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= this.#capacity) break;
      this.#ended.delete(oldest);
      this.#waits.delete(oldest);
    }
  }
}

/** Whether a wait, or what is known of it, is one that was asked for. */
export function matchesWait(
  wait: Pick<Wait, "kind" | "executionId" | "name"> & { runId?: string | undefined; end?: unknown },
  { open = false, kind, executionId, runId, name }: WaitFilter,
): boolean {
  return (
    (!open || wait.end === undefined) &&
    (kind === undefined || wait.kind === kind) &&
    (executionId === undefined || wait.executionId === executionId) &&
    (runId === undefined || wait.runId === runId) &&
    (name === undefined || wait.name === name)
  );
}
