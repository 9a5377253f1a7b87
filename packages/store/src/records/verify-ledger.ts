import type { Database } from "../database/database.ts";
import type { LedgerRow, LedgerSeal } from "../database/ledger-row.ts";
import { Session } from "../database/session.ts";
import { IS_RECORDED } from "./recorded.ts";
import type { Report } from "./verify.ts";

const IS_BACKUP = "SELECT EXISTS (SELECT 1 FROM identity WHERE copied_at IS NOT NULL) AS copied";

/**
 * What the ledger knows must be in the audit, once the process that did it is gone: `base` is the last row that retention
 * removed, and of what was before it nobody can say. A backup is of a moment at which records were still to be stored: its first
 * opening for writing records those. Entries of the ledger also know how far the chain has been.
 */
export function verifyLedger(
  database: Database,
  seal: LedgerSeal,
  { base, head }: { base: number; head: number },
  report: Report,
): void {
  const missing = database
    .prepare<LedgerRow & { recovered: number }>(
      `SELECT l.*, s.recovered FROM ledger l JOIN sessions s ON s.id = l.session
       WHERE l.after_seq >= ? AND NOT ${IS_RECORDED}`,
    )
    .iterate(base);
  const sessions = new Session(database, Date.now);
  const alive = new Map<number | null, boolean>();
  const isAlive = (id: number | null) => {
    if (!alive.has(id)) alive.set(id, sessions.isAlive(id));
    return alive.get(id) === true;
  };
  const isBackup = database.row<{ copied: number }>(IS_BACKUP).copied === 1;
  for (const row of missing)
    if (seal.holds(row) && (row.recovered === 1 || (!isBackup && !isAlive(row.session))))
      report(
        row.after_seq,
        "missing",
        `The ledger has ${row.name} (${row.execution_id}), and no record tells of it.`,
      );
  const { far } = database.row<{ far: number | null }>("SELECT max(after_seq) AS far FROM ledger");
  if (far !== null && far > head)
    report(far, "truncated", `The ledger has seen row ${far} of the chain, which now ends at ${head}.`);
}
