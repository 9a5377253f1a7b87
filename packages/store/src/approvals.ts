import { type ApprovalStore, type Grant, WaitingApprovals } from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, objectToJson } from "./database/json.ts";
import type { SqliteWaits } from "./waits.ts";

/** Every write is on disk before its promise resolves. */
export class SqliteApprovals extends WaitingApprovals implements ApprovalStore {
  readonly #database: Database;
  readonly #group: CommitGroup;

  constructor(database: Database, group: CommitGroup, waits: SqliteWaits) {
    super(waits);
    this.#database = database;
    this.#group = group;
  }

  addGrant(grant: Grant): Promise<void> {
    const text = objectToJson(grant);
    return this.#group.run(() => {
      this.#database
        .prepare("INSERT OR REPLACE INTO grants (id, tool, body, at) VALUES (?, ?, ?, ?)")
        .run(grant.id, grant.tool, text, grant.at);
    });
  }

  removeGrant(id: string): Promise<boolean> {
    return this.#group.run(
      () => this.#database.prepare("DELETE FROM grants WHERE id = ?").run(id).changes === 1,
    );
  }

  grants(): Grant[] {
    return this.#database.read(() =>
      this.#database
        .prepare<{ body: string }>("SELECT body FROM grants ORDER BY at, rowid")
        .all()
        .map((row) => fromJson(row.body) as Grant),
    );
  }
}
