import { createHmac, hash } from "node:crypto";
import type { Database } from "../database/database.ts";
import { storeError } from "../database/store-error.ts";

/** One end of the chain: everything up to `seq` is summed up in `hash`. */
export interface Link {
  seq: number;
  /** In hex, as everywhere but in the file: of the ways to hand a hash on this costs least. */
  hash: string;
  /** Characters of all bodies so far: how much a stretch of the chain holds follows from its two ends. */
  total: number;
  /** Never less than that of the row before, so that times can be searched by bisection. */
  at: number;
}

export interface Ends {
  /** The last row that retention removed; the first kept row continues from it. */
  base: Link;
  head: Link;
}

interface ChainRow {
  keyed: number;
  base_seq: number;
  base_hash: Uint8Array;
  base_total: number;
  base_at: number;
  head_seq: number;
  head_hash: Uint8Array;
  head_total: number;
  head_at: number;
  seal: Uint8Array;
}

/**
 * Each row's hash covers the row before it, and the ends of the chain are sealed: what is changed, removed, moved or
 * cut off shows. With a key, it shows also if whoever did it recomputed the hashes.
 */
export class Chain {
  readonly #database: Database;
  readonly #key: string | undefined;

  constructor(database: Database, key: string | undefined) {
    this.#database = database;
    this.#key = key;
  }

  digest(previous: string, seq: number, kind: string, body: string): string {
    return this.#sum(`${previous}\n${seq}\n${kind}\n${body}`);
  }

  /** The link of a row that is put after another. */
  next(last: Link, kind: string, body: string, at: number): Link {
    const seq = last.seq + 1;
    return {
      seq,
      hash: this.digest(last.hash, seq, kind, body),
      total: last.total + body.length,
      at: Math.max(last.at, at),
    };
  }

  /** The ends as they are stored; undefined before the first row. */
  ends(): (Ends & { keyed: boolean; seal: string }) | undefined {
    const row = this.#database.prepare<ChainRow>("SELECT * FROM chain").get();
    if (row === undefined) return undefined;
    return {
      base: { seq: row.base_seq, hash: hex(row.base_hash), total: row.base_total, at: row.base_at },
      head: { seq: row.head_seq, hash: hex(row.head_hash), total: row.head_total, at: row.head_at },
      keyed: row.keyed === 1,
      seal: hex(row.seal),
    };
  }

  /** For appending: refuses a chain that was begun with a key and is continued without, or the other way round. */
  continued(): Ends & { intact: boolean } {
    const ends = this.ends();
    if (ends === undefined) return { base: start(), head: start(), intact: true };
    if (ends.keyed !== (this.#key !== undefined)) {
      const why = ends.keyed
        ? "its records are sealed with a key; pass auditKey"
        : "its records were begun without auditKey; go on without, or start a new store";
      throw storeError(this.#database.path, "failed", why);
    }
    return { ...ends, intact: this.seal(ends) === ends.seal };
  }

  save(ends: Ends): void {
    const { base, head } = ends;
    this.#database
      .prepare("INSERT OR REPLACE INTO chain VALUES (1, ?, ?, unhex(?), ?, ?, ?, unhex(?), ?, ?, unhex(?))")
      .run(
        this.#key === undefined ? 0 : 1,
        base.seq,
        base.hash,
        base.total,
        base.at,
        head.seq,
        head.hash,
        head.total,
        head.at,
        this.seal(ends),
      );
  }

  seal({ base, head }: Ends): string {
    const parts = [base, head].flatMap((link) => [link.seq, link.hash, link.total, link.at]);
    return this.#sum(`ends\n${parts.join("\n")}`);
  }

  #sum(text: string): string {
    return this.#key === undefined
      ? hash("sha256", text, "hex")
      : createHmac("sha256", this.#key).update(text).digest("hex");
  }
}

/** Empty, which no hash is, for a damaged row that holds something else. */
export function hex(bytes: Uint8Array): string {
  if (!(bytes instanceof Uint8Array)) return "";
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

function start(): Link {
  return { seq: 0, hash: "0".repeat(64), total: 0, at: 0 };
}
