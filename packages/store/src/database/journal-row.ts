import type { JournalEntry } from "@toolrig/core/kit";
import { fromJson } from "./json.ts";
import { RowSeal, type Said } from "./row-seal.ts";
import { storeError } from "./store-error.ts";

/** As the table has it. */
export interface JournalRow {
  run_id: string;
  n: number;
  type: string;
  turn: number | null;
  at: number;
  body: string;
  after_seq: number;
  /** Null for what was written before there were checksums. */
  seal: Uint8Array | null;
}

const TYPES: Readonly<Record<JournalEntry["type"], true>> = {
  message: true,
  calls: true,
  result: true,
  spent: true,
  step: true,
  principal: true,
  waiting: true,
  resumed: true,
  end: true,
};

/** The checksum of a journal's row. A run is continued from these rows. The session is not part of it. */
export class JournalSeal {
  readonly #seal: RowSeal;

  constructor(key: string | undefined) {
    this.#seal = new RowSeal(key);
  }

  of(row: Omit<JournalRow, "seal">): Uint8Array {
    return this.#seal.of("journal", saidIn(row));
  }

  /** As for the ledger; a row without a checksum holds, also with a key. */
  holds(row: JournalRow): boolean {
    return row.seal === null || this.#seal.matches(row.seal, "journal", saidIn(row));
  }

  /** The entry of a row. Throws `STORE_FAILED` for one that is damaged. */
  entry(path: string, row: JournalRow): JournalEntry {
    const why = `entry ${row.n} of run ${row.run_id}`;
    if (!this.holds(row)) throw storeError(path, this.#seal.mismatch, `${why} does not match its checksum`);
    const entry = entryOf(row);
    if (entry === undefined) throw storeError(path, "corrupt", `${why} is not an entry`);
    return entry;
  }
}

function saidIn(row: Omit<JournalRow, "seal">): Said {
  return [row.run_id, row.n, row.type, row.turn, row.at, row.body, row.after_seq];
}

/** Undefined for a body that is no entry of the row's type. */
export function entryOf({ type, body }: Pick<JournalRow, "type" | "body">): JournalEntry | undefined {
  let entry: unknown;
  try {
    entry = fromJson(body);
  } catch {
    return undefined;
  }
  const isEntry = typeof entry === "object" && entry !== null && "type" in entry && entry.type === type;
  return isEntry && Object.hasOwn(TYPES, type) ? (entry as JournalEntry) : undefined;
}
