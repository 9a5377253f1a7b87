import type { CallRecord } from "@toolrig/core";
import { type CallStore, type LateRecord, sleep, systemClock } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import { decodeCall, encodeCall, encodeLate, searchable } from "./body.ts";
import { Chain, hex, type Link } from "./chain.ts";
import { type Columns, callColumns, lateColumns } from "./columns.ts";
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

/** What is put into the chain. */
interface Entry {
  body: string;
  columns: Columns;
  /** What a full-text search finds it by; absent where none should. */
  text?: string;
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
    const entries = records.map((record) => ({
      body: encodeCall(record),
      columns: callColumns(record),
      text: searchable(record),
    }));
    this.#append(entries);
  }

  /** As `store`, of what came after its call was given up. */
  storeLate(records: readonly LateRecord[]): void {
    this.#append(records.map((late) => ({ body: encodeLate(late), columns: lateColumns(late) })));
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

  #append(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    this.#database.write("grouped", () => {
      const { base, head } = this.#chain.continued();
      let link = head;
      for (const entry of entries) {
        link = this.#chain.next(link, entry.columns.kind, entry.body, entry.columns.at);
        this.#insert(link, entry);
      }
      this.#chain.save({ base, head: link });
    });
  }

  #insert({ seq, at, total, hash }: Link, { body, columns, text }: Entry): void {
    const { tool, kind, executionId, runId = null, paths } = columns;
    this.#database
      .prepare(
        `INSERT INTO records (seq, at, total, tool, kind, execution_id, run_id, body, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(seq, at, total, tool, kind, executionId, runId, body, hash);
    for (const path of paths)
      this.#database.prepare("INSERT INTO record_paths (path, seq) VALUES (?, ?)").run(path, seq);
    if (text === undefined) return;
    const tags = [...tagsOf(tool, kind), ...(kind === "ok" ? [] : tagsOf(undefined, "error"))];
    this.#database
      .prepare("INSERT INTO record_text (rowid, text, tags) VALUES (?, ?, ?)")
      .run(seq, text, tags.join(" "));
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
