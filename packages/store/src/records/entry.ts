import type { CallRecord } from "@toolrig/core";
import type { LateRecord } from "@toolrig/core/kit";
import { encodeCall, encodeLate } from "./body.ts";
import type { AdministrativeChange } from "./changes.ts";
import { type Columns, callColumns, changeColumns, lateColumns } from "./columns.ts";

/** What is put into the chain. */
export interface Entry {
  body: string;
  columns: Columns;
  /** What a full-text search finds it by; absent where none should. */
  text?: string;
}

export function callEntry(record: CallRecord): Entry {
  const { body, text } = encodeCall(record);
  return { body, columns: callColumns(record), text };
}

export function lateEntry(late: LateRecord): Entry {
  return { body: encodeLate(late), columns: lateColumns(late) };
}

export function changeEntry(change: AdministrativeChange, at: number): Entry {
  return { body: JSON.stringify({ ...change, at }), columns: changeColumns({ action: change.action, at }) };
}
