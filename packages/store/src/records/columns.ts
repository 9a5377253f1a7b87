import type { CallRecord } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { fromJson } from "../database/json.ts";
import { pathsOf } from "./body.ts";
import { CHANGE, decodeNotice, isNotice, type Notice } from "./notices.ts";
import { LATE } from "./query.ts";

/**
 * What is stored beside a body so that it can be found. All of it follows from the body. SQLite keeps no lone surrogate, so
 * none is in here.
 */
export interface Columns {
  tool: string;
  kind: string;
  executionId: string;
  runId: string | undefined;
  /** When the call ended, when what was late came, or when rows were removed. */
  at: number;
  /** Files that were touched. */
  paths: readonly string[];
}

export function callColumns(record: CallRecord): Columns {
  const { name, executionId, runId, endTime: at, result } = record;
  const kind = result.isError ? failureKind(result.failure?.kind) : "ok";
  return columns(name, kind, executionId, runId, at, pathsOf(record));
}

export function lateColumns({ name, executionId, runId, at }: LateRecord): Columns {
  return columns(name, LATE, executionId, runId, at, []);
}

export function noticeColumns(kind: string, { at }: Notice): Columns {
  return columns("", kind, "", undefined, at, []);
}

/** The action stands where calls have their tool. */
export function changeColumns({ action, at }: { action: string; at: number }): Columns {
  return columns(action, CHANGE, "", undefined, at, []);
}

/** The columns that belong to a stored body. */
export function columnsOf(kind: string, body: string): Columns {
  if (kind === CHANGE) return changeColumns(fromJson(body) as { action: string; at: number });
  if (isNotice(kind)) return noticeColumns(kind, decodeNotice(body));
  const record: unknown = JSON.parse(body);
  return kind === LATE ? lateColumns(record as LateRecord) : callColumns(record as CallRecord);
}

function columns(
  tool: string,
  kind: string,
  executionId: string,
  runId: string | undefined,
  at: number,
  paths: readonly string[],
): Columns {
  return {
    tool: tool.toWellFormed(),
    kind,
    executionId: executionId.toWellFormed(),
    runId: runId?.toWellFormed(),
    at,
    paths,
  };
}

/** No call is taken for one of the rows that are none, whatever a tool called its failure. */
function failureKind(kind: string = "fatal"): string {
  return kind === LATE || isNotice(kind) ? "fatal" : kind.toWellFormed();
}
