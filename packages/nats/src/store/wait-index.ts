import { DueQueue, matchesWait, type Wait, type WaitCount, type WaitFilter } from "@toolrig/core/kit";
import type { Follower } from "./bucket.ts";

/** What is kept in memory of a wait. */
export interface Indexed {
  key: string;
  id: string;
  kind: Wait["kind"];
  executionId: string;
  runId: string | undefined;
  name: string;
  createdAt: number;
  /** Set when it is over. */
  end: true | undefined;
  /** When it was last written. */
  at: number;
}

/** Where the waits of a bucket are that wait or are due, by their keys. Of what is over, nothing is kept. */
export class WaitIndex implements Follower<Wait> {
  #entries = new Map<string, Indexed>();
  #due = new DueQueue();

  forget(): void {
    this.#entries = new Map();
    this.#due = new DueQueue();
  }

  put(key: string, wait: Wait, at: number): void {
    const { id, kind, executionId, runId, name, createdAt, nextAt } = wait;
    const end = wait.end === undefined ? undefined : true;
    // Somebody else's value under a key of ours is no wait.
    if (typeof id !== "string" || (end && nextAt === undefined)) {
      this.remove(key);
      return;
    }
    this.#entries.set(key, { key, id, kind, executionId, runId, name, createdAt, end, at });
    this.#due.set(key, nextAt);
  }

  remove(key: string): void {
    this.#entries.delete(key);
    this.#due.set(key, undefined);
  }

  /** Removes an entry, unless another has taken its place. */
  drop(entry: Indexed): void {
    if (this.#entries.get(entry.key) === entry) this.remove(entry.key);
  }

  /** Those that wait, oldest first. */
  open(filter: WaitFilter): Indexed[] {
    const found: Indexed[] = [];
    for (const entry of this.#entries.values())
      if (matchesWait(entry, { ...filter, open: true })) found.push(entry);
    return found.sort(byAge);
  }

  /** The most overdue first. Those that are not accepted take nobody's place. */
  due(at: number, limit: number, accepts?: (name: string) => boolean): Indexed[] {
    const most = accepts === undefined ? limit : Number.POSITIVE_INFINITY;
    const due = this.#due.until(at, most).flatMap((key) => this.#entries.get(key) ?? []);
    return accepts === undefined ? due : due.filter(({ name }) => accepts(name)).slice(0, limit);
  }

  /** Of those that were written after `since`: the server has removed the others, and tells nobody. */
  counts(since: number): WaitCount[] {
    const counts = new Map<Wait["kind"], WaitCount>();
    for (const { kind, createdAt, end, at } of this.#entries.values()) {
      if (end || at <= since) continue;
      const { count, oldest } = counts.get(kind) ?? { count: 0, oldest: createdAt };
      counts.set(kind, { kind, count: count + 1, oldest: Math.min(oldest, createdAt) });
    }
    return [...counts.values()];
  }
}

/** Oldest first; of one moment, by their ids, so that the order is the same each time. */
export function byAge(a: Pick<Wait, "createdAt" | "id">, b: Pick<Wait, "createdAt" | "id">): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
