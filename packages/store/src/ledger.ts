import type { ToolResult } from "@toolrig/core";
import type { Intent, IntentState, Ledger, OpenIntent } from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, resultToJson, toJson } from "./database/json.ts";
import type { Session } from "./database/session.ts";

type State = "open" | "completed" | "failed" | "unknown";

/** As the table has it. */
export interface LedgerRow {
  execution_id: string;
  fingerprint: string;
  name: string;
  version: string | null;
  args: string | null;
  call_id: string;
  run_id: string | null;
  session: number;
  state: State;
  result: string | null;
  intended_at: number;
  closed_at: number | null;
}

/** An execution as the ledger knows it. */
export interface LedgerEntry extends OpenIntent {
  state: State;
  result?: ToolResult;
  closedAt?: number;
}

/** Every write is on disk before its promise resolves. */
export class SqliteLedger implements Ledger {
  readonly #database: Database;
  readonly #group: CommitGroup;
  readonly #session: Session;
  readonly #now: () => number;

  constructor(database: Database, group: CommitGroup, session: Session, now: () => number) {
    this.#database = database;
    this.#group = group;
    this.#session = session;
    this.#now = now;
  }

  intend(intent: Intent): Promise<IntentState> {
    const args = toJson(intent.args);
    return this.#group.run(() => {
      const known = this.#row(intent.executionId);
      return known === undefined ? this.#insert(intent, args) : this.#known(known, intent);
    });
  }

  complete(executionId: string, result: ToolResult): Promise<void> {
    return this.#close(executionId, "completed", result);
  }

  fail(executionId: string, result: ToolResult): Promise<void> {
    return this.#close(executionId, "failed", result);
  }

  unknown(executionId: string, result: ToolResult): Promise<void> {
    return this.#close(executionId, "unknown", result);
  }

  withdraw(executionId: string): Promise<void> {
    return this.#group.run(() => {
      this.#database.prepare("DELETE FROM ledger WHERE execution_id = ? AND state = 'open'").run(executionId);
    });
  }

  open(): OpenIntent[] {
    return this.#database.read(() => {
      const rows = this.#database
        .prepare<LedgerRow>("SELECT * FROM ledger WHERE state = 'open' ORDER BY id")
        .all();
      return rows.map((row) => {
        const { state: _, ...intent } = this.#entry(row);
        return intent;
      });
    });
  }

  /** What is known of one execution. */
  get(executionId: string): LedgerEntry | undefined {
    return this.#database.read(() => {
      const row = this.#row(executionId);
      return row === undefined ? undefined : this.#entry(row);
    });
  }

  #row(executionId: string): LedgerRow | undefined {
    return this.#database.prepare<LedgerRow>("SELECT * FROM ledger WHERE execution_id = ?").get(executionId);
  }

  #insert(intent: Intent, args: string | null): IntentState {
    const { executionId, fingerprint, name, version = null, callId, runId = null } = intent;
    this.#database
      .prepare(
        `INSERT INTO ledger (execution_id, fingerprint, name, version, args, call_id, run_id, session, state, intended_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)`,
      )
      .run(executionId, fingerprint, name, version, args, callId, runId, this.#session.id(), this.#now());
    return { state: "new" };
  }

  /** Whoever finds an intent that a dead process left open takes it over. */
  #known(row: LedgerRow, intent: Intent): IntentState {
    if (row.fingerprint !== intent.fingerprint) return { state: "collision" };
    if (row.state !== "open") return { state: "done", result: fromJson(row.result) as ToolResult };
    if (this.#session.isMine(row.session)) return { state: "open" };
    if (this.#session.isAlive(row.session)) return { state: "running" };
    this.#database
      .prepare("UPDATE ledger SET session = ? WHERE execution_id = ?")
      .run(this.#session.id(), row.execution_id);
    return { state: "open" };
  }

  #close(executionId: string, state: State, result: ToolResult): Promise<void> {
    const text = resultToJson(result);
    const over = state === "unknown" ? "state = 'open'" : "state IN ('open', 'unknown')";
    return this.#group.run(() => {
      this.#database
        .prepare(`UPDATE ledger SET state = ?, result = ?, closed_at = ? WHERE execution_id = ? AND ${over}`)
        .run(state, text, this.#now(), executionId);
    });
  }

  #entry(row: LedgerRow): LedgerEntry {
    const entry: LedgerEntry = {
      executionId: row.execution_id,
      fingerprint: row.fingerprint,
      name: row.name,
      version: row.version ?? undefined,
      args: fromJson(row.args),
      callId: row.call_id,
      runId: row.run_id ?? undefined,
      at: row.intended_at,
      running: row.state === "open" && this.#session.isAlive(row.session),
      state: row.state,
    };
    if (row.result !== null) entry.result = fromJson(row.result) as ToolResult;
    if (row.closed_at !== null) entry.closedAt = row.closed_at;
    return entry;
  }
}
