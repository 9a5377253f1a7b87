import type { PendingApproval, Principal } from "@toolrig/core";
import type { Ledger, Parked, Wait, WaitCount, WaitFilter, WaitStore } from "@toolrig/core/kit";
import type { CommitGroup } from "./database/commit-group.ts";
import type { Database } from "./database/database.ts";
import { fromJson, toJson } from "./database/json.ts";
import type { WaitColumn } from "./database/seals.ts";
import type { TableSeal } from "./database/table-seal.ts";
import type { SqliteLedger } from "./ledger.ts";

/** As the table has it. */
interface WaitRow {
  id: string;
  kind: Wait["kind"];
  execution_id: string;
  call_id: string;
  name: string;
  run_id: string | null;
  principal: string | null;
  note: string | null;
  created_at: number;
  expires_at: number | null;
  next_at: number | null;
  tokens: string | null;
  body: string | null;
  ended_how: string | null;
  ended_at: number | null;
  ended_by: string | null;
  ended_body: string | null;
  /** Over all others. */
  seal: Uint8Array | null;
}

const COLUMNS: readonly (keyof WaitRow)[] = [
  "id",
  "kind",
  "execution_id",
  "call_id",
  "name",
  "run_id",
  "principal",
  "note",
  "created_at",
  "expires_at",
  "next_at",
  "tokens",
  "body",
  "ended_how",
  "ended_at",
  "ended_by",
  "ended_body",
  "seal",
];
const STAYS: ReadonlySet<keyof WaitRow> = new Set(["id", "kind"]);
const REVISED = COLUMNS.filter((column) => !STAYS.has(column));

const FIND = "SELECT * FROM waits WHERE id = ?";
const HAS_WAITED = "SELECT 1 FROM waits WHERE execution_id = ? AND name = ? LIMIT 1";
/** The condition that a row `w` of the waits is an approval, given between two times, whose execution neither ledger nor records know. */
export const IS_APPROVED_NOT_RUN = `kind = 'approval' AND ended_how = 'approved' AND ended_at >= ? AND ended_at <= ?
    AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.execution_id = w.execution_id)
    AND NOT EXISTS (SELECT 1 FROM records r WHERE r.execution_id = w.execution_id)`;
const APPROVED_NOT_RUN = `SELECT * FROM waits w WHERE ${IS_APPROVED_NOT_RUN} ORDER BY ended_at, n`;
const ADD = `INSERT INTO waits (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")}) ON CONFLICT (id) DO NOTHING`;
const REVISE = `UPDATE waits SET ${REVISED.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
const DUE = "SELECT * FROM waits WHERE next_at <= ? ORDER BY next_at, n LIMIT ?";
const COUNTS = `SELECT kind, open AS count,
    (SELECT min(created_at) FROM waits w WHERE w.kind = c.kind AND w.ended_at IS NULL) AS oldest
  FROM wait_counts c WHERE open > 0`;

/** Waits in the file, and nothing of them in memory. Every write is on disk before its promise resolves. */
export class SqliteWaits implements WaitStore {
  readonly #database: Database;
  readonly #group: CommitGroup;
  /** The ledger in the same file. */
  readonly #ledger: SqliteLedger;
  readonly #seal: TableSeal<WaitColumn>;

  constructor(database: Database, group: CommitGroup, ledger: SqliteLedger, seal: TableSeal<WaitColumn>) {
    this.#seal = seal;
    this.#database = database;
    this.#group = group;
    this.#ledger = ledger;
  }

  add(wait: Wait): Promise<Wait> {
    const row = this.#row(wait);
    return this.#group.run(() => this.#add(row));
  }

  park(wait: Wait, ledger: Ledger): Promise<Parked> | undefined {
    if ((ledger.book ?? ledger) !== this.#ledger) return undefined;
    const row = this.#row(wait);
    return this.#group.run(() => {
      // First, because it may throw.
      const parked = this.#ledger.parkNow(wait.executionId);
      return { wait: this.#add(row), parked };
    });
  }

  get(id: string): Wait | undefined {
    return this.#database.read(() => this.#find(id));
  }

  /** A call that a tool made is over with the tool's own. */
  approvedNotRun({ after, before, limit }: { after: number; before: number; limit: number }): Wait[] {
    const isOver = ({ body }: Wait) => {
      const { made, left } = body as Partial<PendingApproval>;
      const parentId = (made ?? left)?.executionId;
      return parentId !== undefined && this.#ledger.get(parentId)?.result !== undefined;
    };
    // Those that are over take no place of others.
    const found = this.#select(APPROVED_NOT_RUN, after, before).filter((wait) => !isOver(wait));
    return found.slice(0, limit);
  }

  hasWaited(executionId: string, name: string): boolean {
    return this.#database.read(() => this.#database.prepare(HAS_WAITED).get(executionId, name) !== undefined);
  }

  /** Inside of the write, so that no other process comes between. */
  revise(id: string, revise: (wait: Wait) => Wait | undefined): Promise<boolean> {
    return this.#group.run(() => {
      const known = this.#find(id);
      const revised = known === undefined ? undefined : revise(known);
      if (revised === undefined) return false;
      const row = this.#row({ ...revised, id, kind: known?.kind ?? revised.kind });
      return this.#database.prepare(REVISE).run(...REVISED.map((column) => row[column]), id).changes === 1;
    });
  }

  list(filter: WaitFilter = {}): Wait[] {
    const { where, values } = conditionsOf(filter);
    const sql = `SELECT * FROM waits WHERE ${where} ORDER BY created_at, n LIMIT ?`;
    return this.#select(sql, ...values, filter.limit ?? -1);
  }

  due(at: number, limit: number): Wait[] {
    return this.#select(DUE, at, limit);
  }

  counts(): WaitCount[] {
    return this.#database.read(() =>
      this.#database
        .prepare<WaitCount>(COUNTS)
        .all()
        .map((count) => ({ ...count })),
    );
  }

  #add(row: WaitRow): Wait {
    this.#database.prepare(ADD).run(...COLUMNS.map((column) => row[column]));
    return waitOf(this.#database.row<WaitRow>(FIND, row.id));
  }

  #find(id: string): Wait | undefined {
    const row = this.#database.prepare<WaitRow>(FIND).get(id);
    if (row === undefined) return undefined;
    return waitOf(
      this.#seal.check(this.#database.path, { ...row }, `what ${row.name} (${row.execution_id}) waits for`),
    );
  }

  #row(wait: Wait): WaitRow {
    const row = rowOf(wait);
    return { ...row, seal: this.#seal.of({ ...row }) };
  }

  /** Without those that are damaged, which `check` names. */
  #select(sql: string, ...values: (string | number)[]): Wait[] {
    return this.#database.read(() =>
      this.#database
        .prepare<WaitRow>(sql)
        .all(...values)
        .filter((row) => this.#seal.holds({ ...row }))
        .map(waitOf),
    );
  }
}

/** One of an execution or a run is found by that; "+" keeps SQLite from looking for it among all of its kind or all that wait. */
function conditionsOf({ open = false, kind, executionId, runId, name }: WaitFilter) {
  const conditions: string[] = [];
  const values: string[] = [];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  const isNarrow = executionId !== undefined || runId !== undefined;
  const plus = isNarrow ? "+" : "";
  add("execution_id = ?", executionId);
  add(executionId === undefined ? "run_id = ?" : "+run_id = ?", runId);
  add(`${plus}kind = ?`, kind);
  add("name = ?", name);
  if (open) conditions.push(`${plus}ended_at IS NULL`);
  return { where: conditions.length === 0 ? "TRUE" : conditions.join(" AND "), values };
}

function rowOf(wait: Wait): WaitRow {
  const { end } = wait;
  return {
    id: wait.id,
    kind: wait.kind,
    execution_id: wait.executionId,
    call_id: wait.callId,
    name: wait.name,
    run_id: wait.runId ?? null,
    principal: toJson(wait.principal),
    note: wait.note ?? null,
    created_at: wait.createdAt,
    expires_at: wait.expiresAt ?? null,
    next_at: wait.nextAt ?? null,
    tokens: toJson(wait.tokens),
    body: toJson(wait.body),
    ended_how: end?.how ?? null,
    ended_at: end?.at ?? null,
    ended_by: toJson(end?.by),
    ended_body: toJson(end?.body),
    seal: null,
  };
}

function waitOf(row: WaitRow): Wait {
  const { run_id: runId, note, expires_at: expiresAt, next_at: nextAt } = row;
  return {
    id: row.id,
    kind: row.kind,
    executionId: row.execution_id,
    callId: row.call_id,
    name: row.name,
    createdAt: row.created_at,
    body: fromJson(row.body),
    ...(runId !== null && { runId }),
    ...(row.principal !== null && { principal: fromJson(row.principal) as Principal }),
    ...(note !== null && { note }),
    ...(expiresAt !== null && { expiresAt }),
    ...(nextAt !== null && { nextAt }),
    ...(row.tokens !== null && { tokens: fromJson(row.tokens) as string[] }),
    ...endOf(row),
  };
}

function endOf({ ended_how: how, ended_at: at, ended_by: by, ended_body: body }: WaitRow): Pick<Wait, "end"> {
  if (how === null || at === null) return {};
  return {
    end: {
      how,
      at,
      ...(by !== null && { by: fromJson(by) as Principal }),
      ...(body !== null && { body: fromJson(body) }),
    },
  };
}
