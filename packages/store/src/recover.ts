import { type CallRecord, Redactor, type ToolCall, type ToolResult } from "@toolrig/core";
import type { JournalEntry } from "@toolrig/core/kit";
import { recoveredRecord } from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";
import { fromJson } from "./database/json.ts";
import type { Session } from "./database/session.ts";
import type { LedgerRow } from "./ledger.ts";
import type { SqliteRecords } from "./records/records.ts";

/**
 * Records wait a moment before they are stored, and a process that is killed takes those with it. What it had in the
 * ledger and in the journal is recorded here on its behalf, so that no side effect and no call of a run is missing from
 * the audit. Returns how many.
 */
export function recoverRecords(
  database: Database,
  records: SqliteRecords,
  session: Session,
  redactor: Redactor = new Redactor(),
): number {
  const sessions = database.read(() =>
    database.prepare<{ id: number }>("SELECT id FROM sessions WHERE recovered = 0 ORDER BY id").all(),
  );
  let recovered = 0;
  for (const { id } of sessions) {
    if (database.read(() => session.isAlive(id))) continue;
    const found = database.read(() => [...fromLedger(database, id), ...fromJournal(database, id)]);
    const kept = found.filter(({ endTime }) => endTime > records.keptSince());
    const missing = [...new Map(kept.map((record) => [record.executionId, record])).values()];
    records.store(missing.map((record) => redactor.value(record) as CallRecord));
    database.write("grouped", () =>
      database.prepare("UPDATE sessions SET recovered = 1 WHERE id = ?").run(id),
    );
    recovered += missing.length;
  }
  return recovered;
}

/** Intents that are still open are not over, and are recorded by whoever closes them. */
function fromLedger(database: Database, session: number): CallRecord[] {
  const rows = database
    .prepare<LedgerRow>(
      `SELECT l.* FROM ledger l WHERE l.session = ? AND l.state <> 'open'
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.execution_id = l.execution_id) ORDER BY l.id`,
    )
    .all(session);
  return rows.map((row) =>
    recoveredRecord({
      result: fromJson(row.result) as ToolResult,
      args: fromJson(row.args),
      version: row.version ?? undefined,
      runId: row.run_id ?? undefined,
      startTime: row.intended_at,
      endTime: row.closed_at ?? row.intended_at,
    }),
  );
}

function fromJournal(database: Database, session: number): CallRecord[] {
  const rows = database
    .prepare<{ run_id: string; at: number; body: string }>(
      `SELECT j.run_id, j.at, j.body FROM journal j WHERE j.session = ? AND j.type = 'result'
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.execution_id = j.body ->> '$.result.executionId')
       ORDER BY j.run_id, j.n`,
    )
    .all(session);
  const calls = callsOf(database, new Set(rows.map((row) => row.run_id)));
  return rows.map(({ run_id: runId, at, body }) => {
    const { result } = fromJson(body) as Extract<JournalEntry, { type: "result" }>;
    const args = calls.get(result.executionId)?.arguments;
    return recoveredRecord({ result, args, runId, startTime: at - result.durationMs, endTime: at });
  });
}

function callsOf(database: Database, runs: ReadonlySet<string>): Map<string, ToolCall> {
  const calls = new Map<string, ToolCall>();
  for (const run of runs) {
    const rows = database
      .prepare<{ body: string }>("SELECT body FROM journal WHERE run_id = ? AND type = 'calls'")
      .all(run);
    for (const { body } of rows) {
      const entry = fromJson(body) as Extract<JournalEntry, { type: "calls" }>;
      for (const { executionId, call } of entry.calls) calls.set(executionId, call);
    }
  }
  return calls;
}
