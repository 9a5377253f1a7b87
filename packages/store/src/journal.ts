import { type Principal, ToolrigError } from "@toolrig/core";
import {
  continuedElsewhere,
  type Journal,
  type JournalEntry,
  type RunHeader,
  type RunQuery,
  type RunSummary,
} from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import type { JournalRow } from "./database/journal-row.ts";
import { fromJson, objectToJson, toJson } from "./database/json.ts";
import type { RunColumn, Seals } from "./database/seals.ts";
import type { Session } from "./database/session.ts";
import { storeError } from "./database/store-error.ts";
import type { LedgerAudit } from "./ledger-audit.ts";

interface RunRow {
  run_id: string;
  kind: RunHeader["kind"];
  started_at: number;
  updated_at: number;
  request_id: string | null;
  input: string | null;
  principal: string | null;
  forked_run: string | null;
  forked_turn: number | null;
  entries: number;
  turns: number;
  last_turn: number | null;
  ended: number;
  outcome: string | null;
  /** Over the header. */
  seal: Uint8Array | null;
}

/** Every write is on disk before its promise resolves. */
export class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #group: CommitGroup;
  readonly #session: Session;
  readonly #now: () => number;
  readonly #audit: LedgerAudit;
  readonly #seals: Seals;

  constructor(
    database: Database,
    group: CommitGroup,
    session: Session,
    now: () => number,
    audit: LedgerAudit,
    seals: Seals,
  ) {
    this.#database = database;
    this.#group = group;
    this.#session = session;
    this.#now = now;
    this.#audit = audit;
    this.#seals = seals;
  }

  begin({ runId, kind, startedAt, requestId, input, principal, forkedFrom }: RunHeader): Promise<void> {
    const row = {
      run_id: runId,
      kind,
      started_at: startedAt,
      request_id: requestId ?? null,
      input: toJson(input),
      principal: toJson(principal),
      forked_run: forkedFrom?.runId ?? null,
      forked_turn: forkedFrom?.turn ?? null,
    } satisfies Record<RunColumn, unknown>;
    const seal = this.#seals.runs.of(row);
    return this.#group.run(() => {
      const { changes } = this.#database
        .prepare(
          `INSERT INTO runs (run_id, kind, started_at, request_id, input, principal, forked_run, forked_turn, updated_at, seal)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .run(...Object.values(row), startedAt, seal);
      if (changes === 0) throw new ToolrigError("STORE_FAILED", `Run ${runId} is in the journal already.`);
    });
  }

  append(runId: string, entries: readonly JournalEntry[], expected?: number): Promise<void> {
    const rows = entries.map((entry) => ({ entry, body: objectToJson(entry) }));
    return this.#group.run(() => {
      const run = this.#row(runId);
      if (run === undefined)
        throw new ToolrigError("STORE_FAILED", `Run ${runId} is not in the journal; begin it first.`);
      if (expected !== undefined && run.entries !== expected) throw continuedElsewhere(runId);
      const insert = this.#database.prepare(
        "INSERT INTO journal (run_id, n, type, turn, at, session, body, after_seq, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      );
      const session = this.#session.id();
      const at = this.#now();
      const after = this.#audit.last();
      for (const [index, { entry, body }] of rows.entries()) {
        const { type } = entry;
        const turn = "turn" in entry ? entry.turn : null;
        const n = run.entries + index;
        const seal = this.#seals.journal.of({ run_id: runId, n, type, turn, at, body, after_seq: after });
        insert.run(runId, n, type, turn, at, session, body, after, seal);
      }
      this.#advance(run, entries);
    });
  }

  header(runId: string): RunHeader | undefined {
    return this.#database.read(() => {
      const row = this.#row(runId);
      return row === undefined ? undefined : headerOf(this.#checked(row));
    });
  }

  /** How a run stands. */
  summary(runId: string): RunSummary | undefined {
    return this.#database.read(() => {
      const row = this.#row(runId);
      return row === undefined ? undefined : summaryOf(this.#checked(row));
    });
  }

  entries(runId: string): JournalEntry[] {
    return this.#database.read(() => {
      const rows = this.#database
        .prepare<JournalRow>("SELECT * FROM journal WHERE run_id = ? ORDER BY n")
        .all(runId);
      const missing = rows.findIndex(({ n }, index) => n !== index);
      if (missing !== -1 || rows.length < (this.#row(runId)?.entries ?? 0)) {
        const entry = missing === -1 ? rows.length : missing;
        throw storeError(this.#database.path, "corrupt", `entry ${entry} of run ${runId} is missing`);
      }
      return rows.map((row) => this.#seals.journal.entry(this.#database.path, row));
    });
  }

  runs({ ended, kind, before = Number.MAX_VALUE, limit = 50 }: RunQuery = {}): RunSummary[] {
    return this.#database.read(() =>
      this.#database
        .prepare<RunRow>(
          `SELECT * FROM runs
           WHERE started_at < $before AND ($kind IS NULL OR kind = $kind) AND ($ended IS NULL OR ended = $ended)
           ORDER BY started_at DESC, rowid DESC LIMIT $limit`,
        )
        .all({ before, kind: kind ?? null, ended: ended === undefined ? null : Number(ended), limit })
        .map(summaryOf),
    );
  }

  #row(runId: string): RunRow | undefined {
    return this.#database.prepare<RunRow>("SELECT * FROM runs WHERE run_id = ?").get(runId);
  }

  #checked(row: RunRow): RunRow {
    this.#seals.runs.check(this.#database.path, { ...row }, `the beginning of run ${row.run_id}`);
    return row;
  }

  #advance(run: RunRow, entries: readonly JournalEntry[]): void {
    let { last_turn: lastTurn, turns } = run;
    for (const entry of entries) {
      if (!("turn" in entry) || entry.turn <= (lastTurn ?? 0)) continue;
      lastTurn = entry.turn;
      turns += 1;
    }
    const end = entries.findLast((entry) => entry.type === "end");
    const last = entries.at(-1);
    const outcome = end?.outcome ?? (last?.type === "waiting" ? last.outcome : undefined);
    this.#database
      .prepare(
        `UPDATE runs SET entries = entries + $count, turns = $turns, last_turn = $lastTurn, updated_at = $now,
         outcome = CASE WHEN ended = 1 AND $ended = 0 THEN outcome ELSE $outcome END, ended = max(ended, $ended)
         WHERE run_id = $run`,
      )
      .run({
        count: entries.length,
        turns,
        lastTurn,
        now: this.#now(),
        ended: Number(end !== undefined),
        outcome: outcome === undefined ? null : toJson(outcome),
        run: run.run_id,
      });
  }
}

function headerOf(row: RunRow): RunHeader {
  const header: RunHeader = {
    runId: row.run_id,
    kind: row.kind,
    startedAt: row.started_at,
    input: fromJson(row.input),
  };
  if (row.principal !== null) header.principal = fromJson(row.principal) as Principal;
  if (row.request_id !== null) header.requestId = row.request_id;
  if (row.forked_run !== null) header.forkedFrom = { runId: row.forked_run, turn: row.forked_turn ?? 0 };
  return header;
}

function summaryOf(row: RunRow): RunSummary {
  const { updated_at: updatedAt, entries, turns } = row;
  const summary: RunSummary = { header: headerOf(row), updatedAt, entries, turns };
  if (row.ended === 1) summary.end = { outcome: fromJson(row.outcome) };
  else if (row.outcome !== null) summary.waiting = { outcome: fromJson(row.outcome) };
  return summary;
}
