import type { CallRecord } from "@toolrig/core";
import { type CallStore, type LateRecord, sleep, systemClock } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import { decodeCall, encodeCall, encodeLate, pathsOf, searchable } from "./body.ts";
import { Chain, hex, type Link } from "./chain.ts";
import { kindOf } from "./columns.ts";
import { toCsv, toNdjson } from "./export.ts";
import { LATE, page, type RecordQuery, type RecordRow, select } from "./query.ts";
import { tagsOf } from "./search-text.ts";
import { bisect, seqAt } from "./time.ts";
import { type Anchor, type Audit, verify } from "./verify.ts";

/** A record with its place in the chain. */
export interface StoredRecord extends CallRecord {
  /** From 1, without gaps. */
  seq: number;
  hash: string;
}

export interface RecordPage {
  records: StoredRecord[];
  /** For the next page; absent on the last. */
  cursor?: string;
}

export interface FollowOptions {
  /** Ends it. */
  signal?: AbortSignal;
  /** How often the file is asked for more, in milliseconds. Default 250. */
  everyMs?: number;
  /** Begin after this record. Default: with what is recorded from now on. */
  after?: number;
}

const EXPORT_PAGE = 500;
const PRUNE_STEP = 5_000;

/** The audit: every call, in a chain that shows tampering. Rows are only added at the end and removed at the beginning. */
export class SqliteRecords implements CallStore {
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #keyed: boolean;

  constructor(database: Database, auditKey: string | undefined) {
    this.#database = database;
    this.#chain = new Chain(database, auditKey);
    this.#keyed = auditKey !== undefined;
  }

  /** All or none, in one commit: survives a crash of the process at once, and a power failure soon after. */
  store(records: readonly CallRecord[]): void {
    if (records.length === 0) return;
    const rows = records.map((record) => ({ record, body: encodeCall(record) }));
    this.#database.write("grouped", () => {
      const { base, head } = this.#chain.continued();
      let link = head;
      for (const { record, body } of rows) {
        const { name, executionId, runId, endTime } = record;
        link = this.#append(link, kindOf(record), body, { name, executionId, runId, at: endTime });
        this.#index(link.seq, record);
      }
      this.#chain.save({ base, head: link });
    });
  }

  storeLate(records: readonly LateRecord[]): void {
    if (records.length === 0) return;
    this.#database.write("grouped", () => {
      const { base, head } = this.#chain.continued();
      let link = head;
      for (const late of records) {
        const { name, executionId, runId, at } = late;
        link = this.#append(link, LATE, encodeLate(late), { name, executionId, runId, at });
      }
      this.#chain.save({ base, head: link });
    });
  }

  query(query: RecordQuery = {}): RecordPage {
    const { rows, cursor } = page(this.#database, query);
    const records = rows.map(storedOf);
    return cursor === undefined ? { records } : { records, cursor };
  }

  /** Everything recorded of one execution: it has several records when it was continued or asked for again. */
  get(executionId: string): { records: StoredRecord[]; late: LateRecord[] } {
    return this.#database.read(() => {
      const rows = this.#database
        .prepare<RecordRow>("SELECT * FROM records WHERE execution_id = ? ORDER BY seq")
        .all(executionId);
      return {
        records: rows.filter(({ kind }) => kind !== LATE).map(storedOf),
        late: rows.filter(({ kind }) => kind === LATE).map(({ body }) => JSON.parse(body) as LateRecord),
      };
    });
  }

  /** All that match, oldest first, read page by page. */
  *all(query: Omit<RecordQuery, "limit" | "cursor" | "order"> = {}): Iterable<StoredRecord> {
    let after: number | undefined;
    for (;;) {
      const rows = select(this.#database, { ...query, order: "oldest" }, EXPORT_PAGE, after);
      for (const row of rows) {
        yield storedOf(row);
        after = row.seq;
      }
      if (rows.length < EXPORT_PAGE) return;
    }
  }

  /** Records that match as they are stored, by this process or another. */
  async *follow(
    query: Omit<RecordQuery, "limit" | "cursor" | "order"> = {},
    { signal, everyMs = 250, after = this.head().seq }: FollowOptions = {},
  ): AsyncIterable<StoredRecord> {
    let last = after;
    while (signal?.aborted !== true) {
      const rows = select(this.#database, { ...query, order: "oldest" }, EXPORT_PAGE, last);
      for (const row of rows) yield storedOf(row);
      last = rows.at(-1)?.seq ?? last;
      if (rows.length < EXPORT_PAGE) await sleep(systemClock, everyMs, signal);
    }
  }

  export(format: "ndjson" | "csv", query: Omit<RecordQuery, "limit" | "cursor" | "order"> = {}) {
    return format === "ndjson" ? toNdjson(this.all(query)) : toCsv(this.all(query));
  }

  /** The end of the chain. Kept elsewhere, it is an anchor: `verify` then also finds a chain that was cut and resealed. */
  head(): Anchor {
    const ends = this.#database.read(() => this.#chain.ends());
    return ends === undefined
      ? { seq: 0, hash: "0".repeat(64) }
      : { seq: ends.head.seq, hash: hex(ends.head.hash) };
  }

  /** Calls that ended at or before this time may have been removed by retention. */
  keptSince(): number {
    return this.#database.read(() => this.#chain.ends()?.base.at ?? 0);
  }

  verify(anchors: readonly Anchor[] = []): Audit {
    return this.#database.read(() => verify(this.#database, this.#chain, this.#keyed, anchors));
  }

  /** Removes the oldest: those that ended before `endedBefore`, and until at most `maxBytes` of records are left. */
  prune({ endedBefore, maxBytes }: { endedBefore?: number; maxBytes?: number }): number {
    let first = 0;
    if (endedBefore !== undefined) first = seqAt(this.#database, endedBefore);
    if (maxBytes !== undefined) {
      const total = this.#chain.ends()?.head.total ?? 0;
      first = Math.max(
        first,
        bisect(this.#database, "total", (soFar) => total - soFar < maxBytes),
      );
    }
    let removed = 0;
    for (;;) {
      const step = this.#database.write("durable", () => this.#removeBefore(first));
      removed += step;
      if (step < PRUNE_STEP) break;
    }
    if (removed > 0) this.#database.exec("PRAGMA incremental_vacuum");
    return removed;
  }

  #append(
    { seq: last, hash: previous, total, at }: Link,
    kind: string,
    body: string,
    of: { name: string; executionId: string; runId: string | undefined; at: number },
  ): Link {
    const seq = last + 1;
    const link: Link = {
      seq,
      hash: this.#chain.digest(previous, seq, kind, body),
      total: total + body.length,
      at: Math.max(at, of.at),
    };
    this.#database
      .prepare(
        `INSERT INTO records (seq, at, total, tool, kind, execution_id, run_id, body, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(seq, link.at, link.total, of.name, kind, of.executionId, of.runId ?? null, body, link.hash);
    return link;
  }

  #index(seq: number, record: CallRecord): void {
    const kind = kindOf(record);
    const tags = [...tagsOf(record.name, kind), ...(kind === "ok" ? [] : tagsOf(undefined, "error"))];
    this.#database
      .prepare("INSERT INTO record_text (rowid, text, tags) VALUES (?, ?, ?)")
      .run(seq, searchable(record), tags.join(" "));
    for (const path of pathsOf(record))
      this.#database.prepare("INSERT INTO record_paths (path, seq) VALUES (?, ?)").run(path, seq);
  }

  /** The last removed row becomes the base, from which the chain of the kept ones can still be verified. */
  #removeBefore(first: number): number {
    const { base, head } = this.#chain.continued();
    const until = Math.min(first - 1, head.seq, base.seq + PRUNE_STEP);
    if (until <= base.seq) return 0;
    const row = this.#database.prepare<RecordRow>("SELECT * FROM records WHERE seq = ?").get(until);
    if (row === undefined) return 0;
    this.#database.prepare("DELETE FROM record_text WHERE rowid <= ?").run(until);
    const { changes } = this.#database.prepare("DELETE FROM records WHERE seq <= ?").run(until);
    const { seq, hash, total, at } = row;
    this.#chain.save({ base: { seq, hash, total, at }, head });
    return Number(changes);
  }
}

function storedOf({ seq, hash, body }: RecordRow): StoredRecord {
  return { ...decodeCall(body), seq, hash: hex(hash) };
}
