import { createHmac } from "node:crypto";
import type { CallSource } from "@toolrig/core";

export type LedgerState = "open" | "waiting" | "completed" | "failed" | "unknown";

/** As the table has it. */
export interface LedgerRow {
  execution_id: string;
  fingerprint: string;
  name: string;
  version: string | null;
  args: string | null;
  call_id: string;
  run_id: string | null;
  /** On whose behalf. */
  principal: string | null;
  /** Where the call came from; null for a model, and for what was written before there was this column. */
  source: CallSource | null;
  /** Whose it is; null while it waits: then it is nobody's. */
  session: number | null;
  state: LedgerState;
  result: string | null;
  intended_at: number;
  closed_at: number | null;
  /** The last row of the audit when this one was written: its record comes after it. */
  after_seq: number;
  seal: Uint8Array | null;
}

/**
 * What a ledger row says, sealed with the audit's key where there is one: what becomes of a side effect is answered and
 * recorded from these rows, so that a row which somebody else put there must not count. Whose it is at the moment is not
 * part of it: another process takes it over.
 */
export class LedgerSeal {
  readonly #key: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  of(row: Omit<LedgerRow, "session" | "seal">): Uint8Array | null {
    if (this.#key === undefined) return null;
    const said = [
      row.execution_id,
      row.fingerprint,
      row.name,
      row.version,
      row.args,
      row.call_id,
      row.run_id,
      row.principal,
      row.state,
      row.result,
      row.intended_at,
      row.closed_at,
      row.after_seq,
      ...(row.source === null ? [] : [row.source]),
    ];
    const text = JSON.stringify(said.map((each) => (typeof each === "string" ? each.toWellFormed() : each)));
    return createHmac("sha256", this.#key).update(`ledger\n${text}`).digest();
  }

  /** Whether a row was written with the key; always true where there is none. */
  holds(row: LedgerRow): boolean {
    const expected = this.of(row);
    return expected === null || (row.seal !== null && Buffer.compare(expected, row.seal) === 0);
  }
}
