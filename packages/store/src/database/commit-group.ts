import { ToolrigError } from "@toolrig/core";
import type { Database } from "./database.ts";
import { Patience } from "./lock-wait.ts";
import type { StoreProblem } from "./store-error.ts";

/** Between two tries, while other processes write: the event loop goes on, and what is asked for meanwhile joins the group. */
const RETRY_MS = 5;

interface Waiting {
  work: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Durable writes that are asked for in the same turn of the event loop share one transaction, and so one wait for the
 * disk. Each promise settles when its write is on disk. A group that finds the file locked is tried again without keeping the thread.
 */
export class CommitGroup {
  readonly #database: Database;
  readonly #patience: Patience;
  #waiting: Waiting[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#patience = new Patience(database.patienceMs, () => database.pragma("data_version"));
  }

  /** `work` leaves nothing behind when it throws. `failed` is told before the promise rejects. */
  run<T>(work: () => T, failed?: () => void): Promise<T> {
    return new Promise((resolve, refuse) => {
      const reject = (error: unknown) => {
        failed?.();
        refuse(error);
      };
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (this.#again === undefined) this.#scheduled ??= setImmediate(() => this.#write(0));
    });
  }

  /** Writes at once what waits. */
  flush(): void {
    this.#write(this.#database.patienceMs);
  }

  #write(patienceMs: number): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#again);
    this.#scheduled = undefined;
    this.#again = undefined;
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    let isBegun = false;
    const all = () => {
      isBegun = true;
      return group.map(carryOut);
    };
    let outcomes: (() => void)[];
    try {
      outcomes = this.#database.withPatience(patienceMs, () => this.#database.write("durable", all));
    } catch (error) {
      if (patienceMs === 0 && !isBegun && isLocked(error) && this.#patience.goesOn()) {
        this.#putOff(group);
        return;
      }
      outcomes = group.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    }
    this.#patience.end();
    for (const each of outcomes) each();
  }

  #putOff(group: Waiting[]): void {
    this.#waiting = group;
    this.#again = setTimeout(() => this.#write(0), RETRY_MS * Math.random());
  }
}

function isLocked(error: unknown): boolean {
  return (
    ToolrigError.isInstance(error) &&
    (error.details as { problem?: StoreProblem } | undefined)?.problem === "locked"
  );
}

/** One write that fails must not take the others of its group with it, unless the file itself fails. */
function carryOut({ work, resolve, reject }: Waiting): () => void {
  try {
    const value = work();
    return () => resolve(value);
  } catch (error) {
    if (isOfTheFile(error)) throw error;
    return () => reject(error);
  }
}

function isOfTheFile(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ERR_SQLITE_ERROR";
}
