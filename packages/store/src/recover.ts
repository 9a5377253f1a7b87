import type { CallRecord, ToolCall } from "@toolrig/core";
import { backoffDelay, recoveredRecord } from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";
import { entryOf, type JournalRow, type JournalSeal } from "./database/journal-row.ts";
import type { LedgerRow, LedgerSeal } from "./database/ledger-row.ts";
import type { Seals } from "./database/seals.ts";
import type { Session } from "./database/session.ts";
import { type LedgerAudit, recordOf } from "./ledger-audit.ts";
import { IS_RECORDED } from "./records/recorded.ts";
import type { SqliteRecords } from "./records/records.ts";

/**
 * Records wait a moment before they are stored, and a process that is killed takes those with it. What it had in the
 * ledger and in the journal is recorded here on its behalf, so that no side effect and no call of a run is missing from
 * the audit: also not those that it had begun and left open. Returns how many.
 *
 * What was written before the last row that retention removed may have been recorded and removed, and is left alone.
 */
export function recoverRecords(
  database: Database,
  records: SqliteRecords,
  session: Session,
  audit: LedgerAudit,
  seals: Seals,
): number {
  const sessions = database.read(() =>
    database.prepare<{ id: number }>("SELECT id FROM sessions WHERE recovered = 0 ORDER BY id").all(),
  );
  let recovered = 0;
  for (const { id } of sessions) {
    if (database.read(() => session.isAlive(id))) continue;
    recovered += database.write("grouped", () => {
      const base = records.span().first - 1;
      // The ledger knows more of a call than the journal, and comes last.
      const found = [
        ...fromJournal(database, id, base, seals.journal),
        ...fromLedger(database, id, base, seals.ledger),
      ];
      const missing = [...new Map(found.map((record) => [record.executionId, record])).values()];
      audit.store(missing.sort((a, b) => a.endTime - b.endTime));
      database.prepare("UPDATE sessions SET recovered = 1 WHERE id = ?").run(id);
      return missing.length;
    });
  }
  return recovered;
}

const BACKOFF = { backoffMs: 1_000, maxBackoffMs: 60_000 };

/** Recovery of what dead processes left behind. Where the file cannot be written to, it is tried again until it can. */
export class Recovery {
  readonly #recover: () => number;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** How many calls were recorded so far. */
  recovered = 0;

  constructor(recover: () => number) {
    this.#recover = recover;
  }

  /** Never throws. */
  run(): void {
    this.stop();
    try {
      this.recovered += this.#recover();
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      this.#timer = setTimeout(() => this.run(), backoffDelay(this.#failures, BACKOFF));
      this.#timer.unref();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** A row that is damaged, or was not written with the audit's key, is not put into the chain: `verify` names it. */
function fromLedger(database: Database, session: number, base: number, seal: LedgerSeal): CallRecord[] {
  const rows = database
    .prepare<LedgerRow>(
      `SELECT l.* FROM ledger l WHERE l.session = ? AND l.after_seq >= ? AND NOT ${IS_RECORDED} ORDER BY l.id`,
    )
    .all(session, base);
  return rows.filter((row) => seal.holds(row)).map(recordOf);
}

/** The placeholder of a result that is still to come is no result. Rows that are damaged are left out, as those of the ledger are. */
function fromJournal(database: Database, session: number, base: number, seal: JournalSeal): CallRecord[] {
  const rows = database
    .prepare<JournalRow>(
      `SELECT j.* FROM journal j WHERE j.session = ? AND j.type = 'result' AND j.after_seq >= ? AND json_valid(j.body)
       AND j.body ->> '$.result.waiting' IS NULL AND NOT EXISTS (SELECT 1 FROM records r WHERE r.execution_id = j.body ->> '$.result.executionId')
       ORDER BY j.run_id, j.n`,
    )
    .all(session, base);
  const calls = callsOf(database, new Set(rows.map((row) => row.run_id)), seal);
  return rows.flatMap((row) => {
    const entry = seal.holds(row) ? entryOf(row) : undefined;
    if (entry?.type !== "result") return [];
    const { result } = entry;
    const args = calls.get(result.executionId)?.arguments;
    const { run_id: runId, at } = row;
    return [recoveredRecord({ result, args, runId, startTime: at - result.durationMs, endTime: at })];
  });
}

function callsOf(database: Database, runs: ReadonlySet<string>, seal: JournalSeal): Map<string, ToolCall> {
  const calls = new Map<string, ToolCall>();
  for (const run of runs) {
    const rows = database
      .prepare<JournalRow>("SELECT * FROM journal WHERE run_id = ? AND type = 'calls'")
      .all(run);
    for (const row of rows) {
      const entry = seal.holds(row) ? entryOf(row) : undefined;
      if (entry?.type !== "calls") continue;
      for (const { executionId, call } of entry.calls) calls.set(executionId, call);
    }
  }
  return calls;
}
