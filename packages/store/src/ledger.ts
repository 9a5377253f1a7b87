import { type CallSource, type ToolResult, ToolrigError } from "@toolrig/core";
import type { Intent, IntentState, Ledger, OpenIntent } from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, resultToJson, toJson } from "./database/json.ts";
import type { LedgerRow, LedgerSeal, LedgerState } from "./database/ledger-row.ts";
import type { Session } from "./database/session.ts";
import { storeError } from "./database/store-error.ts";
import { type LedgerAudit, type Settlement, settledResult, settlementOptions } from "./ledger-audit.ts";
import type { Restoration } from "./restoration.ts";

/** An execution as the ledger knows it. */
export interface LedgerEntry extends OpenIntent {
  principal?: string;
  source?: CallSource;
  state: LedgerState;
  /** It waits: no code runs, and there is no outcome yet. */
  waiting?: boolean;
  result?: ToolResult;
  closedAt?: number;
}

type OpenRow = Omit<LedgerRow, "session" | "seal"> & { session: number; seal: Uint8Array };

type Outcome = Exclude<LedgerState, "open" | "waiting">;

/** Every write is on disk before its promise resolves. */
export class SqliteLedger implements Ledger {
  readonly #database: Database;
  readonly #group: CommitGroup;
  readonly #session: Session;
  readonly #now: () => number;
  readonly #audit: LedgerAudit;
  readonly #seal: LedgerSeal;
  readonly #restoration: Restoration;
  /** Rows that this process inserted and that are open as far as it knows, so that closing one reads nothing. */
  readonly #inserted = new Map<string, OpenRow>();
  /** Calls of this process that are over, and whose outcome the file did not take. */
  readonly #over = new Set<string>();

  constructor(
    database: Database,
    group: CommitGroup,
    session: Session,
    now: () => number,
    audit: LedgerAudit,
    seal: LedgerSeal,
    restoration: Restoration,
  ) {
    this.#database = database;
    this.#group = group;
    this.#session = session;
    this.#now = now;
    this.#audit = audit;
    this.#seal = seal;
    this.#restoration = restoration;
  }

  intend(intent: Intent): Promise<IntentState> {
    const args = toJson(intent.args);
    return this.#group.run(() => {
      const inserted = this.#insert(intent, args);
      if (inserted !== undefined) return inserted;
      const known = this.#row(intent.executionId);
      if (known === undefined) throw new Error(`The ledger's entry of ${intent.executionId} is gone.`);
      return this.#known(known, intent);
    });
  }

  complete(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "completed", result);
  }

  fail(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "failed", result);
  }

  unknown(executionId: string, result: ToolResult): Promise<boolean> {
    return this.#close(executionId, "unknown", result);
  }

  /** Of this session only: what another has open is that one's to park. */
  park(executionId: string): Promise<boolean> {
    return this.#group.run(() => this.parkNow(executionId));
  }

  /** `park` within the caller's transaction. */
  parkNow(executionId: string): boolean {
    this.#inserted.delete(executionId);
    const row = this.#row(executionId);
    if (row?.state !== "open" || !this.#session.isMine(row.session)) return false;
    this.#update({ ...row, state: "waiting", session: null });
    return true;
  }

  unpark(executionId: string): Promise<boolean> {
    return this.#group.run(() => {
      const row = this.#row(executionId);
      if (row?.state !== "waiting") return false;
      this.#update({ ...row, state: "open", session: this.#session.id(), after_seq: this.#audit.last() });
      return true;
    });
  }

  withdraw(executionId: string): Promise<void> {
    return this.#end(executionId, () => {
      this.#inserted.delete(executionId);
      const row = this.#row(executionId);
      if (row?.state !== "open") return;
      if (!this.#session.isMine(row.session)) this.#audit.withdrawn(row, this.#now());
      this.#database.prepare("DELETE FROM ledger WHERE execution_id = ?").run(executionId);
    });
  }

  release(executionId: string): Promise<void> {
    return this.#end(executionId, () => {
      this.#inserted.delete(executionId);
      const row = this.#row(executionId);
      if (row?.state === "open" && this.#session.isMine(row.session))
        this.#update({ ...row, session: this.#session.over() });
    });
  }

  open(): OpenIntent[] {
    return this.#database.read(() => {
      const rows = this.#database
        .prepare<LedgerRow>("SELECT * FROM ledger WHERE state = 'open' ORDER BY id")
        .all();
      return rows
        .filter((row) => this.#seal.holds(row))
        .map((row) => {
          const { state: _, ...intent } = this.#entry(row);
          return intent;
        });
    });
  }

  under(executionId: string): Pick<Intent, "executionId" | "name" | "version">[] {
    return this.#database.read(() =>
      this.#database
        .prepare<Pick<LedgerRow, "execution_id" | "name" | "version">>(
          // "/" is the character after ".".
          "SELECT execution_id, name, version FROM ledger WHERE execution_id > ? AND execution_id < ?",
        )
        .all(`${executionId}.`, `${executionId}/`)
        .map(({ execution_id, name, version }) => ({
          executionId: execution_id,
          name,
          version: version ?? undefined,
        })),
    );
  }

  /** What may or may not have happened, oldest first: intents without an outcome, and those that nobody can tell of. */
  inDoubt(): LedgerEntry[] {
    return this.#database.read(() =>
      this.#database
        .prepare<LedgerRow>("SELECT * FROM ledger WHERE state IN ('open', 'unknown') ORDER BY id")
        .all()
        .filter((row) => this.#seal.holds(row))
        .map((row) => this.#entry(row)),
    );
  }

  /**
   * Closes what is in doubt by the word of a person, which is on record. What happened is answered as done from now on; what
   * never ran may run under its execution id. Rejects with `OPTION_INVALID` where nothing is in doubt, and for
   * a wrong settlement.
   */
  async settle(executionId: string, settlement: Settlement): Promise<void> {
    settlementOptions.check(settlement);
    return this.#group.run(() => {
      const row = this.#row(executionId);
      if (row === undefined || (row.state !== "open" && row.state !== "unknown"))
        throw nothingToSettle(executionId, row?.state);
      if (this.#isRunning(row)) throw nothingToSettle(executionId, "running");
      const settled = { ...row, closed_at: this.#now(), after_seq: this.#audit.last() };
      this.#audit.settled(settled, settlement);
      if (settlement.outcome === "never-ran") {
        this.#restoration.neverRan(executionId);
        this.#database.prepare("DELETE FROM ledger WHERE execution_id = ?").run(executionId);
        return;
      }
      const result = JSON.stringify(settledResult(row, settlement));
      this.#update({ ...settled, state: "completed", result });
    });
  }

  /** What is known of one execution. */
  get(executionId: string): LedgerEntry | undefined {
    return this.#database.read(() => {
      const row = this.#row(executionId);
      return row === undefined ? undefined : this.#entry(row);
    });
  }

  /** Throws for a row that is damaged, or was not written with the audit's key: nothing may be answered or closed by it. */
  #row(executionId: string): LedgerRow | undefined {
    const row = this.#database
      .prepare<LedgerRow>("SELECT * FROM ledger WHERE execution_id = ?")
      .get(executionId);
    if (row === undefined || this.#seal.holds(row)) return row;
    throw storeError(this.#database.path, this.#seal.mismatch, `the ledger's entry of ${executionId}`);
  }

  /** Undefined where the execution has a row. */
  #insert(intent: Intent, args: string | null): IntentState | undefined {
    const { executionId, fingerprint, name, callId } = intent;
    const { version = null, runId = null, principal = null, source = null } = intent;
    const row: Omit<LedgerRow, "session" | "seal"> = {
      execution_id: executionId,
      fingerprint,
      name,
      version,
      args,
      call_id: callId,
      run_id: runId,
      principal,
      source,
      state: "open",
      result: null,
      intended_at: this.#now(),
      closed_at: null,
      after_seq: this.#audit.last(),
    };
    const session = this.#session.id();
    const seal = this.#seal.of(row);
    const { changes } = this.#database
      .prepare(
        `INSERT INTO ledger (execution_id, fingerprint, name, version, args, call_id, run_id, principal, source, session, state, intended_at, after_seq, seal)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?) ON CONFLICT (execution_id) DO NOTHING`,
      )
      .run(
        executionId,
        fingerprint,
        name,
        version,
        args,
        callId,
        runId,
        principal,
        source,
        session,
        row.intended_at,
        row.after_seq,
        seal,
      );
    if (changes === 0) return undefined;
    this.#inserted.set(executionId, { ...row, session, seal });
    return { state: this.#restoration.isLost(executionId) ? "open" : "new" };
  }

  /** Whoever finds an intent that a dead process left open takes it over. */
  #known(row: LedgerRow, intent: Intent): IntentState {
    if (row.fingerprint !== intent.fingerprint) return { state: "collision" };
    if (row.state === "waiting") return { state: "waiting" };
    if (row.state !== "open") return { state: "done", result: fromJson(row.result) as ToolResult };
    this.#over.delete(row.execution_id);
    if (this.#session.isMine(row.session)) return { state: "open" };
    if (this.#session.isAlive(row.session)) return { state: "running" };
    this.#database
      .prepare("UPDATE ledger SET session = ? WHERE execution_id = ?")
      .run(this.#session.id(), row.execution_id);
    return { state: "open" };
  }

  #close(executionId: string, state: Outcome, result: ToolResult): Promise<boolean> {
    const text = resultToJson(result);
    return this.#end(executionId, () => {
      if (this.#closeInserted(executionId, state, text)) return true;
      const row = this.#row(executionId);
      if (row === undefined || !givesWay(row.state, state)) return false;
      // What waits is nobody's: who closes it owns it, and so records it, or is recorded for when it cannot.
      const session = row.state === "waiting" ? this.#session.id() : row.session;
      const closed = { closed_at: this.#now(), after_seq: this.#audit.last() };
      this.#put({ ...row, state, result: text, session, ...closed });
      return true;
    });
  }

  /** Closes a row as this process inserted it. False where it is another one by now: the row then decides. */
  #closeInserted(executionId: string, state: Outcome, result: string): boolean {
    const row = this.#inserted.get(executionId);
    if (row === undefined) return false;
    this.#inserted.delete(executionId);
    const closed = { state, result, closed_at: this.#now(), after_seq: this.#audit.last() };
    const { changes } = this.#database
      .prepare(
        "UPDATE ledger SET state = ?, result = ?, closed_at = ?, after_seq = ?, seal = ? WHERE execution_id = ? AND seal = ? AND session = ?",
      )
      .run(
        state,
        result,
        closed.closed_at,
        closed.after_seq,
        this.#seal.of({ ...row, ...closed }),
        executionId,
        row.seal,
        row.session,
      );
    return changes === 1;
  }

  /** A call that is over does not run any more, whether or not that can be written. */
  #end<T>(executionId: string, work: () => T): Promise<T> {
    const ending = () => {
      this.#over.delete(executionId);
      return work();
    };
    return this.#group.run(ending, () => this.#over.add(executionId));
  }

  #isRunning({ execution_id: id, state, session }: LedgerRow): boolean {
    return state === "open" && this.#session.isAlive(session) && !this.#over.has(id);
  }

  /** What another process had left open is recorded here, because that one no longer can. */
  #put(row: LedgerRow): void {
    if (!this.#session.isMine(row.session)) this.#audit.closed(row);
    this.#update(row);
  }

  #update(row: LedgerRow): void {
    this.#database
      .prepare(
        "UPDATE ledger SET session = ?, state = ?, result = ?, closed_at = ?, after_seq = ?, seal = ? WHERE execution_id = ?",
      )
      .run(
        row.session,
        row.state,
        row.result,
        row.closed_at,
        row.after_seq,
        this.#seal.of(row),
        row.execution_id,
      );
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
      running: this.#isRunning(row),
      state: row.state,
    };
    if (row.state === "waiting") entry.waiting = true;
    if (row.principal !== null) entry.principal = row.principal;
    if (row.source !== null) entry.source = row.source;
    if (row.result !== null) entry.result = fromJson(row.result) as ToolResult;
    if (row.closed_at !== null) entry.closedAt = row.closed_at;
    return entry;
  }
}

/** An intent gives way to any outcome, and one that nobody could tell to one that is known. */
function givesWay(state: LedgerState, outcome: Outcome): boolean {
  return state === "open" || state === "waiting" || (state === "unknown" && outcome !== "unknown");
}

function nothingToSettle(executionId: string, state: string | undefined): ToolrigError {
  const found = state === undefined ? "it is not in the ledger" : `it is ${state}`;
  return new ToolrigError(
    "OPTION_INVALID",
    `There is nothing to settle about ${executionId}: ${found}. "toolrig open" lists what is in doubt.`,
  );
}
