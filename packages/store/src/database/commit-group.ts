import type { Database } from "./database.ts";

interface Waiting {
  work: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Durable writes that are asked for in the same turn of the event loop share one transaction, and so one wait for the
 * disk. Each promise settles when its write is on disk.
 */
export class CommitGroup {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `work` leaves nothing behind when it throws. `failed` is told before the promise rejects. */
  run<T>(work: () => T, failed?: () => void): Promise<T> {
    return new Promise((resolve, refuse) => {
      const reject = (error: unknown) => {
        failed?.();
        refuse(error);
      };
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Writes at once what waits. */
  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length === 0) return;
    let outcomes: (() => void)[];
    try {
      outcomes = this.#database.write("durable", () => group.map(carryOut));
    } catch (error) {
      outcomes = group.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    }
    for (const each of outcomes) each();
  }
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
