import type { SQLInputValue } from "node:sqlite";
import type { FailureKind } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import { NOTICES } from "./notices.ts";
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
  const found = select(database, query, limit + 1, after);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return last === undefined || found.length === rows.length ? { rows } : { rows, cursor: `seq:${last.seq}` };
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
  const where: Where = {
    from: "records r",
    by: "r.seq",
    conditions: ["r.seq BETWEEN ? AND ?"],
    values: [first, last],
  };
  if (text !== undefined && !addText(query, text, where)) return [];
  addConditions(query, where);
  const { from, by, conditions, values } = where;
  const sql = `SELECT r.* FROM ${from} WHERE ${conditions.join(" AND ")} ORDER BY ${by} ${newest ? "DESC" : "ASC"} LIMIT ?`;
  return database.read(() => database.prepare<RecordRow>(sql).all(...values, limit));
}

interface Where {
  from: string;
  by: string;
  conditions: string[];
  values: SQLInputValue[];
}

/** In the way that costs least with what else is asked for. False when there is no word in the text. */
function addText({ tool, kind, runId, executionId, path }: RecordQuery, text: string, where: Where): boolean {
  const match = searchText(text, tagsOf(tool, kind));
  if (match === undefined) return false;
  const { conditions, values } = where;
  if (runId !== undefined || executionId !== undefined) {
    // Few records: the text is looked for in each.
    conditions.push("EXISTS (SELECT 1 FROM record_text t WHERE t.record_text MATCH ? AND t.rowid = r.seq)");
    values.push(match);
  } else if (path !== undefined) {
    // Either side may be large: both are found, and then what they have in common.
    conditions.push("r.seq IN (SELECT rowid FROM record_text WHERE record_text MATCH ?)");
    values.push(match);
  } else {
    where.from = "record_text t CROSS JOIN records r ON r.seq = t.rowid";
    where.by = "t.rowid";
    conditions.unshift("t.record_text MATCH ?", "t.rowid BETWEEN ? AND ?");
    values.unshift(match, ...values);
  }
  return true;
}

function addConditions(query: RecordQuery, { conditions, values }: Where): void {
  const { tool, kind, runId, executionId, path } = query;
  const equal = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(`r.${column} = ?`);
    values.push(value);
  };
  equal("tool", tool);
  equal("run_id", runId);
  equal("execution_id", executionId);
  if (kind !== "error") equal("kind", kind);
  // Said although it follows: without it the index of failures would not be used.
  if (kind !== undefined && kind !== "ok") conditions.push("r.kind <> 'ok'");
  conditions.push(`r.kind NOT IN ('${LATE}', ${NOTICES})`);
  if (path === undefined) return;
  const folder = path.endsWith("/") ? path : `${path}/`;
  conditions.push("r.seq IN (SELECT seq FROM record_paths WHERE path = ? OR (path >= ? AND path < ?))");
  values.push(path, folder, `${folder.slice(0, -1)}0`);
}

function limitOf(limit = 50): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw check.invalid("limit", "a whole number from 1 to 1000", limit);
}

function cursorOf(cursor: string): number {
  const seq = /^seq:(\d{1,15})$/.exec(cursor)?.[1];
  if (seq !== undefined) return Number(seq);
  throw check.invalid("cursor", "one that an earlier page gave", cursor);
}
