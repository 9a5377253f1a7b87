import { isThenable, type Journal, type JournalEntry, type MaybePromise } from "@toolrig/core/kit";
import { inTime, type PatienceOptions, WRITE_GRACE_MS } from "./patience.ts";

/**
 * Writes down a run, and says with every write how much of it is there. Of two processes that continue the same run one
 * is refused at its first write, before any of its calls has begun.
 */
export class RunWriter {
  readonly #journal: Journal | undefined;
  readonly #runId: string;
  readonly #patience: PatienceOptions;
  #written = 0;
  #before = -1;

  constructor(journal: Journal | undefined, runId: string, patience: PatienceOptions) {
    this.#journal = journal;
    this.#runId = runId;
    this.#patience = patience;
  }

  /** The run was there before, with so many entries. */
  continueAfter(entries: number): void {
    this.#written = this.#before = entries;
  }

  /** The run was there before, and nothing was added to it. */
  get isUntouched(): boolean {
    return this.#written === this.#before;
  }

  write(entries: readonly JournalEntry[]): MaybePromise<void> {
    if (this.#journal === undefined) return undefined;
    const expected = this.#written;
    this.#written += entries.length;
    const failed = (error: unknown): never => {
      this.#written -= entries.length;
      throw error;
    };
    try {
      const done = this.#journal.append(this.#runId, entries, expected);
      if (!isThenable(done)) return done;
      return Promise.resolve(inTime("The journal", done, this.#patience, WRITE_GRACE_MS)).catch(failed);
    } catch (error) {
      return failed(error);
    }
  }
}
