import type { CallRecord } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { pathsOf } from "./body.ts";
import { LATE } from "./query.ts";

/** What is stored beside a body so that it can be found. All of it follows from the body and the row before. */
export interface Columns {
  tool: string;
  kind: string;
  executionId: string;
  runId: string | undefined;
  at: number;
  total: number;
  paths: string[];
}

export function columnsOf(kind: string, body: string, before: { total: number; at: number }): Columns {
  const record = JSON.parse(body) as CallRecord | LateRecord;
  const total = before.total + body.length;
  const { name: tool, executionId, runId } = record;
  if (kind === LATE) {
    const { at } = record as LateRecord;
    return { tool, kind, executionId, runId, at: Math.max(before.at, at), total, paths: [] };
  }
  const call = record as CallRecord;
  return {
    tool,
    kind: kindOf(call),
    executionId,
    runId,
    at: Math.max(before.at, call.endTime),
    total,
    paths: pathsOf(call),
  };
}

export function kindOf({ result }: CallRecord): string {
  return result.isError ? (result.failure?.kind ?? "fatal") : "ok";
}
