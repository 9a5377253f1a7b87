import type { SQLInputValue } from "node:sqlite";
import { type FailureKind, ToolrigError } from "@toolrig/core";
import type { Database } from "../database.ts";
import { searchText, tagsOf } from "./search-text.ts";
import { seqAt } from "./time.ts";

/** "ok" for calls that succeeded, "error" for all that did not, or the kind of their failure. */
export type RecordKind = "ok" | "error" | FailureKind;

/** Which records. All conditions must hold; none means all records. */
export interface RecordQuery {
  tool?: string;
  kind?: RecordKind;
  runId?: string;
  executionId?: string;
  /** Calls that ended at or after this time, in epoch milliseconds. */
  since?: number;
  /** Calls that ended before this time. */
  until?: number;
  /** Words in the arguments, the content or the failure. */
  text?: string;
  /** A file that was changed, or a folder in which one was. */
  path?: string;
  /** Default "newest" first. */
  order?: "newest" | "oldest";
  /** Of a page: 1 to 1,000. Default 50. */
  limit?: number;
  /** Where a page before this one ended. */
  cursor?: string;
}

export interface RecordRow {
  seq: number;
  at: number;
  total: number;
  tool: string;
  kind: string;
  execution_id: string;
  run_id: string | null;
  body: string;
  hash: Uint8Array;
}

export const LATE = "late";

/** The rows of one page, and where the next begins. Each page costs the same, however far down it is. */
export function page(database: Database, query: RecordQuery): { rows: RecordRow[]; cursor?: string } {
  const limit = limitOf(query.limit);
  const after = query.cursor === undefined ? undefined : cursorOf(query.cursor);
  const rows = select(database, query, limit + 1, after);
  if (rows.length <= limit) return { rows };
  rows.pop();
  return { rows, cursor: `seq:${rows.at(-1)!.seq}` };
}

/** Up to `limit` rows that match, beyond the row `after` in the order asked for. */
export function select(
  database: Database,
  query: RecordQuery,
  limit: number,
  after: number | undefined,
): RecordRow[] {
  const { order = "newest", text, since, until } = query;
  const newest = order === "newest";
  let first = since === undefined ? 0 : seqAt(database, since);
  let last = until === undefined ? Number.MAX_SAFE_INTEGER : seqAt(database, until) - 1;
  if (after !== undefined && newest) last = Math.min(last, after - 1);
  if (after !== undefined && !newest) first = Math.max(first, after + 1);
  const conditions = ["r.seq BETWEEN ? AND ?"];
  const values: SQLInputValue[] = [first, last];
  let from = "records r";
  if (text !== undefined) {
    const { tool, kind } = query;
    const tags = {
      ...(tool !== undefined && { tool }),
      ...(kind !== undefined && kind !== "error" && { kind }),
    };
    const match = searchText(text, tagsOf(tags));
    if (match === undefined) return [];
    from = "record_text t CROSS JOIN records r ON r.seq = t.rowid";
    conditions.unshift("t.record_text MATCH ?", "t.rowid BETWEEN ? AND ?");
    values.unshift(match, first, last);
  }
  addConditions(query, conditions, values);
  const by = `${text === undefined ? "r.seq" : "t.rowid"} ${newest ? "DESC" : "ASC"}`;
  const sql = `SELECT r.* FROM ${from} WHERE ${conditions.join(" AND ")} ORDER BY ${by} LIMIT ?`;
  return database.read(() => database.prepare(sql).all(...values, limit)) as unknown as RecordRow[];
}

function addConditions(query: RecordQuery, conditions: string[], values: SQLInputValue[]): void {
  const { tool, kind, runId, executionId, path } = query;
  const equal = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(`r.${column} = ?`);
    values.push(value);
  };
  equal("tool", tool);
  equal("run_id", runId);
  equal("execution_id", executionId);
  if (kind === "error") conditions.push("r.kind <> 'ok'");
  else equal("kind", kind);
  // The first names the partial index's condition, without which it would not be used.
  if (kind !== undefined && kind !== "ok") conditions.push("r.kind <> 'ok'");
  conditions.push(`r.kind <> '${LATE}'`);
  if (path === undefined) return;
  const folder = path.endsWith("/") ? path : `${path}/`;
  conditions.push("r.seq IN (SELECT seq FROM record_paths WHERE path = ? OR (path >= ? AND path < ?))");
  values.push(path, folder, `${folder.slice(0, -1)}0`);
}

function limitOf(limit = 50): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new ToolrigError(
    "OPTION_INVALID",
    `limit must be a whole number from 1 to 1000; got ${String(limit)}.`,
  );
}

function cursorOf(cursor: string): number {
  const seq = /^seq:(\d{1,15})$/.exec(cursor)?.[1];
  if (seq !== undefined) return Number(seq);
  throw new ToolrigError(
    "OPTION_INVALID",
    `cursor must be one that an earlier page gave; got ${JSON.stringify(cursor)}.`,
  );
}
