import type { PendingApproval } from "@toolrig/core";
import type { ApprovalDecision, ApprovalEntry, ApprovalStore, Grant } from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, objectToJson } from "./database/json.ts";

interface ApprovalRow {
  pending: string;
  decision: string | null;
}

const FIND = "SELECT pending, decision FROM approvals WHERE execution_id = ?";

/** Every write is on disk before its promise resolves. */
export class SqliteApprovals implements ApprovalStore {
  readonly #database: Database;
  readonly #group: CommitGroup;

  constructor(database: Database, group: CommitGroup) {
    this.#database = database;
    this.#group = group;
  }

  ask(pending: PendingApproval): Promise<ApprovalEntry> {
    const { executionId, runId = null, createdAt } = pending;
    const text = objectToJson(pending);
    return this.#group.run(() => {
      this.#database
        .prepare(
          `INSERT INTO approvals (execution_id, run_id, pending, created_at) VALUES (?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        )
        .run(executionId, runId, text, createdAt);
      return entryOf(this.#database.row<ApprovalRow>(FIND, executionId));
    });
  }

  get(executionId: string): ApprovalEntry | undefined {
    return this.#database.read(() => {
      const row = this.#database.prepare<ApprovalRow>(FIND).get(executionId);
      return row === undefined ? undefined : entryOf(row);
    });
  }

  decide(executionId: string, decision: ApprovalDecision): Promise<boolean> {
    const text = objectToJson(decision);
    return this.#group.run(() => {
      const { changes } = this.#database
        .prepare("UPDATE approvals SET decision = ? WHERE execution_id = ? AND decision IS NULL")
        .run(text, executionId);
      return changes === 1;
    });
  }

  list({ open = false, runId }: { open?: boolean; runId?: string } = {}): ApprovalEntry[] {
    const which = open ? "decision IS NULL" : "TRUE";
    return this.#database.read(() =>
      this.#database
        .prepare<ApprovalRow>(
          `SELECT pending, decision FROM approvals WHERE ${which} AND ($run IS NULL OR run_id = $run)
           ORDER BY created_at, rowid`,
        )
        .all({ run: runId ?? null })
        .map(entryOf),
    );
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

function entryOf(row: ApprovalRow): ApprovalEntry {
  const pending = fromJson(row.pending) as PendingApproval;
  const decision = fromJson(row.decision) as ApprovalDecision | undefined;
  return decision === undefined ? { pending } : { pending, decision };
}
