import type { CallRecord } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { pathsOf } from "./body.ts";
import { LATE } from "./query.ts";

/** What is stored beside a body so that it can be found. All of it follows from the body. */
export interface Columns {
  tool: string;
  kind: string;
  executionId: string;
  runId: string | undefined;
  /** When the call ended, or when what was late came. */
  at: number;
  /** Files that were touched. */
  paths: readonly string[];
}

export function callColumns(record: CallRecord): Columns {
  const { name: tool, executionId, runId, endTime: at, result } = record;
  const kind = result.isError ? (result.failure?.kind ?? "fatal") : "ok";
  return { tool, kind, executionId, runId, at, paths: pathsOf(record) };
}

export function lateColumns({ name: tool, executionId, runId, at }: LateRecord): Columns {
  return { tool, kind: LATE, executionId, runId, at, paths: [] };
}

/** The columns that belong to a stored body. */
export function columnsOf(kind: string, body: string): Columns {
  const record: unknown = JSON.parse(body);
  return kind === LATE ? lateColumns(record as LateRecord) : callColumns(record as CallRecord);
}
