import { type CallRecord, type Principal, Redactor, type ToolResult } from "@toolrig/core";
import {
  declareOptions,
  failedResult,
  type OptionTable,
  option,
  principalOption,
  recoveredRecord,
} from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";
import { fromJson } from "./database/json.ts";
import type { LedgerRow } from "./database/ledger-row.ts";
import { IS_RECORDED } from "./records/recorded.ts";
import type { SqliteRecords } from "./records/records.ts";

/** The verdict of a person on an execution that was in doubt. */
export interface Settlement {
  outcome: "happened" | "never-ran";
  /** The person. */
  by: Principal;
  /** What they saw. */
  why: string;
}

export const settlementOptions = declareOptions("settle", {
  outcome: option.oneOf(["happened", "never-ran"], { required: true }),
  by: principalOption({ required: true }),
  why: option.text({ required: true }),
} satisfies OptionTable<Settlement>);

/**
 * The records of what the ledger knows and the process that did it could not record. Whoever closes what a dead process
 * left open does it through the ledger, and so nobody can do it past the audit.
 */
export class LedgerAudit {
  readonly #database: Database;
  readonly #records: SqliteRecords;
  readonly #redactor: Redactor;

  constructor(database: Database, records: SqliteRecords, redactor = new Redactor()) {
    this.#database = database;
    this.#records = records;
    this.#redactor = redactor;
  }

  /** The last row of the audit: what is recorded from now on comes after it. */
  last(): number {
    return this.#records.span().last;
  }

  /** Inside a write, of a row that another process had left open. That nobody knows is said once. */
  closed(row: LedgerRow): void {
    if (row.state === "unknown" && this.#isRecorded(row.execution_id)) return;
    this.store([recordOf(row)]);
  }

  /** Inside a write, of a row that is about to be withdrawn. */
  withdrawn(row: LedgerRow, now: number): void {
    const message = `${row.name} was left open by a process that ended. It never ran, and was withdrawn.`;
    const result = resultOf(row, "TOOL_CANCELLED", message, 0);
    this.store([recordOf({ ...row, result: JSON.stringify(result), closed_at: now })]);
  }

  /** Inside a write: who said what about a row that was in doubt, in the details. Whose call it was stays. */
  settled(row: LedgerRow, settlement: Settlement): void {
    const result = JSON.stringify(settledResult(row, settlement));
    this.store([recordOf({ ...row, result })]);
  }

  store(records: readonly CallRecord[]): void {
    this.#records.store(records.map((record) => this.#redactor.fact(record)));
  }

  #isRecorded(executionId: string): boolean {
    const sql = `SELECT 1 FROM ledger l WHERE l.execution_id = ? AND ${IS_RECORDED}`;
    return this.#database.prepare(sql).get(executionId) !== undefined;
  }
}

/** The record of a row; one that is still open may or may not have happened. */
export function recordOf(row: LedgerRow): CallRecord {
  const message = `${row.name} was started by a process that ended before it recorded an outcome. It may have happened.`;
  const result =
    row.result === null
      ? resultOf(row, "TOOL_OUTCOME_UNKNOWN", message, 1)
      : (fromJson(row.result) as ToolResult);
  return recoveredRecord({
    result,
    args: fromJson(row.args),
    version: row.version ?? undefined,
    runId: row.run_id ?? undefined,
    principal: row.principal === null ? undefined : { id: row.principal },
    source: row.source ?? undefined,
    startTime: row.intended_at,
    endTime: row.closed_at ?? row.intended_at,
  });
}

/** The result of an execution by the word of a person. */
export function settledResult(row: LedgerRow, { outcome, by, why }: Settlement): ToolResult {
  const text = `${by.id} says that it ${outcome === "happened" ? "happened" : "never ran"}: ${why}`;
  const details = { settled: outcome, by: by.id, why };
  if (outcome === "never-ran") return { ...resultOf(row, "TOOL_CANCELLED", text, 0), details };
  const { failure: _, ...result } = resultOf(row, "TOOL_OUTCOME_UNKNOWN", text, 1);
  return { ...result, isError: false, content: [{ type: "text", text }], details };
}

function resultOf(
  { execution_id: executionId, call_id: id, name }: LedgerRow,
  code: "TOOL_CANCELLED" | "TOOL_OUTCOME_UNKNOWN",
  message: string,
  attempts: number,
): ToolResult {
  return failedResult({ id, name }, executionId, { code, message }, attempts);
}
