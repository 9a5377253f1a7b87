import type { CallRecord } from "@toolrig/core";
import { type CallStore, check, type LateRecord, sleep, systemClock } from "@toolrig/core/kit";
import type { Database } from "../database/database.ts";
import { fromJson } from "../database/json.ts";
import { type Seals, sealsOf } from "../database/seals.ts";
import { decodeCall } from "./body.ts";
import { Chain, hex, type Link } from "./chain.ts";
import { type AdministrativeChange, type ChangeQuery, changesIn, type StoredChange } from "./changes.ts";
import { callEntry, changeEntry, lateEntry } from "./entry.ts";
import { toCsv, toNdjson } from "./export.ts";
import { RecordLog } from "./log.ts";
import { isNotice, NOTICES, PRUNE } from "./notices.ts";
import { LATE, page, type RecordQuery, type RecordRow, select } from "./query.ts";
import { bisect, seqAt } from "./time.ts";
import { type Anchor, type Audit, checkAnchor, damage, verify } from "./verify.ts";

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
const SPAN = "SELECT base_seq AS base, head_seq AS last FROM chain";

/** The audit: every call, in a chain that shows tampering. Rows are only added at the end and removed at the beginning. */
export class SqliteRecords implements CallStore {
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #log: RecordLog;
  readonly #keyed: boolean;
  readonly #seals: Seals;
  readonly #now: () => number;

  constructor(database: Database, auditKey: string | undefined, now: () => number) {
    this.#database = database;
    this.#chain = new Chain(database, auditKey);
    this.#log = new RecordLog(database, this.#chain, now);
    this.#keyed = auditKey !== undefined;
    this.#now = now;
    this.#seals = sealsOf(auditKey);
  }

  /** Whether the chain is sealed with a key. */
  get keyed(): boolean {
    return this.#keyed;
  }

  /** All or none, in one commit: survives a crash of the process at once, and a power failure soon after. */
  store(records: readonly CallRecord[]): void {
    this.#log.append(records.map(callEntry));
  }

  /** As `store`, of what came after its call was given up. */
  storeLate(records: readonly LateRecord[]): void {
    this.#log.append(records.map(lateEntry));
  }

  /** Puts a change of what calls depend on into the chain, in a commit of its own. */
  storeChange(change: AdministrativeChange): void {
    this.#log.append([changeEntry(change, this.#now())]);
  }

  /** Changes of what calls depend on, newest first. */
  changes(query: ChangeQuery = {}): StoredChange[] {
    return changesIn(this.#database, query);
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
        .all(executionId)
        .filter(({ kind }) => !isNotice(kind));
      return {
        records: rows.filter(({ kind }) => kind !== LATE).map(storedOf),
        late: rows.filter(({ kind }) => kind === LATE).map(({ body }) => fromJson(body) as LateRecord),
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

  /**
   * Records of rows after one, oldest first, and the last row that was looked at. Those of executions that `skip` names are
   * left out without being read.
   */
  since(
    after: number,
    { limit = EXPORT_PAGE, skip }: { limit?: number; skip?: (executionId: string) => boolean } = {},
  ): { records: StoredRecord[]; last: number } {
    const rows = select(this.#database, { order: "oldest" }, limit, after);
    const wanted = skip === undefined ? rows : rows.filter((row) => !skip(row.execution_id));
    return { records: wanted.map(storedOf), last: rows.at(-1)?.seq ?? after };
  }

  /** The latest record of each call that the tool of an execution made, in the order of their ends. */
  within(executionId: string, limit = 100): StoredRecord[] {
    // Their ids are that of the execution and more.
    const rows = this.#database.read(() =>
      this.#database
        .prepare<RecordRow>(
          `SELECT *, max(seq) FROM records WHERE execution_id > $first AND execution_id < $after
           AND kind NOT IN ('${LATE}', ${NOTICES}) GROUP BY execution_id ORDER BY seq LIMIT $limit`,
        )
        .all({ first: `${executionId}.`, after: `${executionId}/`, limit }),
    );
    return rows.map(storedOf).filter(({ parentId }) => parentId === executionId);
  }

  export(format: "ndjson" | "csv", query: Omit<RecordQuery, "limit" | "cursor" | "order"> = {}) {
    return format === "ndjson" ? toNdjson(this.all(query)) : toCsv(this.all(query));
  }

  /** The end of the chain. Kept elsewhere, it is an anchor: `verify` then also finds a chain that was cut and resealed. */
  head(): Anchor {
    const ends = this.#database.read(() => this.#chain.ends());
    return ends === undefined
      ? { seq: 0, hash: "0".repeat(64) }
      : { seq: ends.head.seq, hash: ends.head.hash };
  }

  /** The first and the last row that are kept; `first` is one past `last` where none is. */
  span(): { first: number; last: number } {
    const row = this.#database.read(() => this.#database.prepare<{ base: number; last: number }>(SPAN).get());
    return row === undefined ? { first: 1, last: 0 } : { first: row.base + 1, last: row.last };
  }

  /** Records what can be recorded by now on behalf of processes that ended. */
  beforeVerify: (() => void) | undefined;

  /** Goes through everything. `anchors` are ends of the chain that were noted earlier, somewhere else. */
  verify(anchors: readonly Anchor[] = []): Audit {
    check.list("anchors", anchors, "a list of what head() gave, such as [anchor]");
    const noted = anchors.map(checkAnchor);
    this.beforeVerify?.();
    return this.#database.snapshot(() =>
      verify(this.#database, this.#chain, this.#keyed, this.#seals, noted),
    );
  }

  /** Messages about records, executions, runs and artifacts that are not as they were written. */
  damage(): string[] {
    return this.#database.snapshot(() => damage(this.#database, this.#chain, this.#keyed, this.#seals));
  }

  /**
   * Removes up to `size` of the oldest: those that ended before `endedBefore`, and until at most `maxBytes` of records are left.
   * `more` says whether others are to be removed.
   */
  pruneStep(
    { endedBefore, maxBytes }: { endedBefore?: number; maxBytes?: number },
    size: number,
  ): { removed: number; more: boolean } {
    let first = 0;
    if (endedBefore !== undefined) first = seqAt(this.#database, endedBefore);
    if (maxBytes !== undefined) {
      const total = this.#chain.ends()?.head.total ?? 0;
      first = Math.max(
        first,
        bisect(this.#database, "total", (soFar) => total - soFar < maxBytes),
      );
    }
    if (first === 0) return { removed: 0, more: false };
    // Rows that a power failure brings back are removed by the next prune: nobody waits for the disk.
    return this.#database.write("grouped", () => this.#removeBefore(first, size));
  }

  /** All of it at once: `store.prune` lets others write in between. Returns how many were removed. */
  prune(limits: { endedBefore?: number; maxBytes?: number }): number {
    for (let removed = 0; ; ) {
      const step = this.pruneStep(limits, PRUNE_STEP);
      removed += step.removed;
      if (!step.more) return removed;
    }
  }

  /**
   * The last removed row becomes the base, from which the chain of the kept ones can still be verified, and a receipt is
   * put at its end. One receipt after the other says nothing new: where nothing else would go, nothing goes.
   */
  #removeBefore(first: number, size: number): { removed: number; more: boolean } {
    const { base, head, intact } = this.#chain.continued();
    const until = Math.min(first - 1, head.seq, base.seq + size);
    const row = this.#database.prepare<RecordRow>("SELECT * FROM records WHERE seq = ?").get(until);
    if (until <= base.seq || row === undefined) return { removed: 0, more: false };
    const { notices } = this.#database.row<{ notices: number }>(
      `SELECT count(*) AS notices FROM records WHERE kind IN (${NOTICES}) AND seq <= ?`,
      until,
    );
    if (notices === until - base.seq) return { removed: 0, more: false };
    this.#database.prepare("DELETE FROM record_text WHERE rowid <= ?").run(until);
    const { changes } = this.#database.prepare("DELETE FROM records WHERE seq <= ?").run(until);
    const { seq, hash, total, at } = row;
    const newBase: Link = { seq, hash: hex(hash), total, at };
    this.#log.extend({ base: newBase, head, intact }, [this.#log.notice(PRUNE, newBase)]);
    return { removed: Number(changes) - notices, more: until < Math.min(first - 1, head.seq) };
  }
}

function storedOf({ seq, hash, body }: RecordRow): StoredRecord {
  return { ...decodeCall(body), seq, hash: hex(hash) };
}
