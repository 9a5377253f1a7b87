import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";

/** Bytes of a CRC-32, the checksum without a key. One that was made with a key is longer, so that the two are told apart. */
const PLAIN_BYTES = 4;
const KEYED_BYTES = 32;

export type Said = readonly (string | number | null)[];

/** Checksums of rows, made with the audit's key where there is one: then only a holder of the key can make them. */
export class RowSeal {
  readonly #key: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  of(table: string, said: Said): Uint8Array {
    const json = JSON.stringify(said);
    // SQLite keeps no lone surrogate; JSON writes one as an escape.
    const plain = json.includes("\\ud") ? JSON.stringify(said.map(wellFormed)) : json;
    const text = `${table}\n${plain}`;
    if (this.#key !== undefined) return createHmac("sha256", this.#key).update(text).digest();
    const sum = Buffer.allocUnsafe(PLAIN_BYTES);
    sum.writeUInt32BE(crc32(text));
    return sum;
  }

  /** True also where it cannot be told: without the key, of a checksum that was made with it. */
  matches(seal: Uint8Array | null, table: string, said: Said): boolean {
    if (this.#key === undefined && seal?.length === KEYED_BYTES) return true;
    // A damaged row may hold anything.
    return seal instanceof Uint8Array && Buffer.compare(this.of(table, said), seal) === 0;
  }

  get keyed(): boolean {
    return this.#key !== undefined;
  }

  /** The problem of a row whose checksum does not match. */
  get mismatch(): "tampered" | "corrupt" {
    return this.#key === undefined ? "corrupt" : "tampered";
  }
}

function wellFormed(value: string | number | null): string | number | null {
  return typeof value === "string" ? value.toWellFormed() : value;
}
