import type { Principal } from "@toolrig/core";
import {
  declareOptions,
  idMark,
  isMadeSince,
  type OptionTable,
  option,
  principalOption,
} from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";

/** A restore that nobody has accepted yet, or a backup that is looked into. */
export interface RestoreMarker {
  /** The time of the backup. */
  from: number;
  /** When it was restored. */
  at: number;
}

/** The word of a person that a restored ledger is complete again. */
export interface Acceptance {
  by: Principal;
  /** What they compared it with. */
  why: string;
}

const acceptanceOptions = declareOptions("acceptRestore", {
  by: principalOption({ required: true }),
  why: option.text({ required: true }),
} satisfies OptionTable<Acceptance>);

interface Row {
  restored_from: number;
  restored_at: number;
}

/** What a restored store cannot know: the executions that were begun between the backup and the restore. */
export class Restoration {
  readonly #database: Database;
  /** Ids that this process made before are those of calls that the store may have lost. */
  readonly #mark = idMark();
  #current: RestoreMarker | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#current = this.#read();
  }

  get current(): RestoreMarker | undefined {
    if (this.#current !== undefined && this.#database.isOpen) this.#current = this.#read();
    return this.#current;
  }

  /** Inside a write, of an execution that is not in the ledger: whether it may have been begun after the backup. */
  isLost(executionId: string): boolean {
    if (this.#current === undefined || isMadeSince(this.#mark, executionId) || this.current === undefined)
      return false;
    return (
      this.#database.prepare("SELECT 1 FROM never_ran WHERE execution_id = ?").get(executionId) === undefined
    );
  }

  /** Inside a write: a person says that this one never ran. */
  neverRan(executionId: string): void {
    if (this.#current !== undefined)
      this.#database.prepare("INSERT OR IGNORE INTO never_ran VALUES (?)").run(executionId);
  }

  accept(acceptance: Acceptance): void {
    acceptanceOptions.check(acceptance);
    const accepted = JSON.stringify({ ...acceptance, at: Date.now() });
    this.#database.write("durable", () => {
      this.#database.prepare("UPDATE identity SET restored_from = NULL, accepted = ?").run(accepted);
      this.#database.exec("DELETE FROM never_ran");
    });
    this.#current = undefined;
  }

  #read(): RestoreMarker | undefined {
    const row = this.#database.read(() =>
      this.#database
        .prepare<Row>(
          `SELECT coalesce(copied_at, restored_from) AS restored_from, coalesce(restored_at, copied_at) AS restored_at
           FROM identity WHERE restored_from IS NOT NULL OR copied_at IS NOT NULL`,
        )
        .get(),
    );
    return row === undefined ? undefined : { from: row.restored_from, at: row.restored_at };
  }
}
