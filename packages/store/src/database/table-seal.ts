import { RowSeal } from "./row-seal.ts";
import { storeError } from "./store-error.ts";

type Value = string | number | null;

/** A row with a checksum over some of its columns. Null for what was written before there were checksums. */
export type Sealed<Column extends string> = { [name in Column]: Value } & { seal: Uint8Array | null };

/** The checksums of one table. The other columns of its rows change, or are found again from elsewhere. */
export class TableSeal<Column extends string> {
  readonly #seal: RowSeal;
  readonly #table: string;
  readonly #columns: readonly Column[];

  constructor(table: string, columns: readonly Column[], key: string | undefined) {
    this.#seal = new RowSeal(key);
    this.#table = table;
    this.#columns = columns;
  }

  of(row: { [name in Column]: Value }): Uint8Array {
    return this.#seal.of(
      this.#table,
      this.#columns.map((column) => row[column]),
    );
  }

  /** Whether a row is as it was written. True where that cannot be told. */
  holds(row: Sealed<Column>): boolean {
    const said = () => this.#columns.map((column) => row[column]);
    return row.seal === null || this.#seal.matches(row.seal, this.#table, said());
  }

  /** Throws `STORE_FAILED` for a row that is not as it was written. */
  check<Row extends Sealed<Column>>(path: string, row: Row, what: string): Row {
    if (this.holds(row)) return row;
    throw storeError(path, this.#seal.mismatch, `${what} does not match its checksum`);
  }
}
