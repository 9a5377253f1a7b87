import type { CallSource } from "@toolrig/core";
import { RowSeal, type Said } from "./row-seal.ts";

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
 * The checksum of a ledger row: the outcome of a side effect is answered and recorded from these rows, so that one that was damaged,
 * or with a key one that was put there by others, must not count. The session is not part of it: another process takes a row over.
 */
export class LedgerSeal {
  readonly #seal: RowSeal;

  constructor(key: string | undefined) {
    this.#seal = new RowSeal(key);
  }

  of(row: Omit<LedgerRow, "session" | "seal">): Uint8Array {
    return this.#seal.of("ledger", saidIn(row));
  }

  /** Whether a row is as it was written. True where that cannot be told: without the key, or from before there were checksums. */
  holds(row: LedgerRow): boolean {
    if (row.seal === null && !this.#seal.keyed) return true;
    return this.#seal.matches(row.seal, "ledger", saidIn(row));
  }

  get mismatch(): "tampered" | "corrupt" {
    return this.#seal.mismatch;
  }
}

function saidIn(row: Omit<LedgerRow, "session" | "seal">): Said {
  return [
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
}
