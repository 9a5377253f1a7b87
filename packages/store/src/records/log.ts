import type { Database } from "../database/database.ts";
import type { Chain, Ends, Link } from "./chain.ts";
import { noticeColumns } from "./columns.ts";
import type { Entry } from "./entry.ts";
import { BREACH, noticeOf, type PRUNE } from "./notices.ts";
import { indexTags } from "./search-text.ts";

/** The end of the chain at which rows are added. */
export class RecordLog {
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #now: () => number;

  constructor(database: Database, chain: Chain, now: () => number) {
    this.#database = database;
    this.#chain = chain;
    this.#now = now;
  }

  /** All or none. */
  append(entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    this.#database.write("grouped", () => this.extend(this.#chain.continued(), entries));
  }

  /** Inside a write. Ends that somebody has changed are not sealed without a word. */
  extend({ base, head, intact }: Ends & { intact: boolean }, entries: readonly Entry[]): void {
    let link = head;
    for (const entry of intact ? entries : [this.notice(BREACH, head), ...entries]) {
      link = this.#chain.next(link, entry.columns.kind, entry.body, entry.columns.at);
      this.#insert(link, entry);
    }
    this.#chain.save({ base, head: link });
  }

  notice(kind: typeof PRUNE | typeof BREACH, link: Link): Entry {
    const notice = noticeOf(link, this.#now());
    return { body: JSON.stringify(notice), columns: noticeColumns(kind, notice) };
  }

  #insert({ seq, at, total, hash }: Link, { body, columns, text }: Entry): void {
    const { tool, kind, executionId, runId = null, paths } = columns;
    this.#database
      .prepare(
        `INSERT INTO records (seq, at, total, tool, kind, execution_id, run_id, body, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, unhex(?))`,
      )
      .run(seq, at, total, tool, kind, executionId, runId, body, hash);
    for (const path of paths)
      this.#database.prepare("INSERT INTO record_paths (path, seq) VALUES (?, ?)").run(path, seq);
    if (text === undefined) return;
    this.#database
      .prepare("INSERT INTO record_text (rowid, text, tags) VALUES (?, ?, ?)")
      .run(seq, text, indexTags(tool, kind));
  }
}
