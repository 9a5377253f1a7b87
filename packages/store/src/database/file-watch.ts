import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync as Connection } from "node:sqlite";
import {
  IDENTITY,
  type Identity,
  LOG_HEADER,
  type LogHeader,
  logPath,
  lookAgain,
  parseLogHeader,
  readLog,
  readMain,
} from "./identity.ts";
import { DatabaseSync } from "./sqlite.ts";
import { storeError } from "./store-error.ts";

/** A life of the file lasts this long at most while there are writes. */
const LIFE_MS = 250;

const NEXT_LIFE = "previous = life, life = randomblob(16), turn = turn + 1";
/** In one transaction: the two numbers are the same in every state of the file that has all of the log. */
const MARK = `BEGIN IMMEDIATE; UPDATE identity SET log = log + 1, ${NEXT_LIFE};
  UPDATE merged SET log = (SELECT i.log FROM identity i); COMMIT`;
const REWRITE = "UPDATE merged SET written = written + 1";

/** Whether a moment is within the life that it began. A clock that was set back ends the life. */
function isWithin(begun: number): boolean {
  const age = Date.now() - begun;
  return age >= 0 && age < LIFE_MS;
}

/**
 * Keeps a store's file and log recognisable for one connection that writes.
 *
 * Before the first write after a merge the main file says, on disk, that it has a log; the log takes it back, so that a main file
 * into which everything was merged no longer says so, whichever program merged it. Lives follow each other in the log, so that
 * a log can be told from those of other copies. And every write is followed by a look at both files: SQLite goes on writing to
 * a file that was deleted, replaced or overwritten.
 */
export class FileWatch {
  readonly #path: string;
  readonly #connection: Connection;
  /** The main file says that it has a log. */
  #isMarked = false;
  #turnedAt = 0;
  /** When marking the main file was tried last. */
  #triedAt = 0;
  /** The main file when it was last looked at. */
  #file: { ino: number; mtimeMs: number; size: number };
  #identity: Identity | undefined;
  #log: { file: number; ino: number; header: LogHeader } | undefined;
  readonly #bytes = Buffer.alloc(LOG_HEADER);
  #refusal: Error | undefined;

  constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#connection = connection;
    this.#file = this.#stat();
    this.#look();
  }

  /** Marks the file where it is not. Files that have no identity yet are marked once they do. */
  beforeWrite(durability: "durable" | "grouped"): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    // A merge by another process has taken the mark back.
    if (this.#isMarked && this.#isChanged()) this.#look();
    if (this.#isMarked || isWithin(this.#triedAt)) return;
    if (this.#identity === undefined && !this.#hasIdentity()) return;
    this.#look();
    if (this.#isMarked) return;
    this.#mark(durability);
    this.#look();
    // Others that read an older state, or that write at the same time, keep the mark from the main file. It is tried again.
    this.#triedAt = Date.now();
  }

  /**
   * The log gets a new number in two tables, which are in two pages, and the main file the page of one of them only: the other is
   * written once more, and a reader of the moment between keeps that from it. So this process may be killed at any moment, and any
   * program merge what it left. All else is merged before: a page that is newer in the log than that moment would be missing.
   */
  #mark(durability: "durable" | "grouped"): void {
    const run = (sql: string) => this.#connection.exec(sql);
    let reader: Connection | undefined;
    // The merge waits for the disk, once.
    run("PRAGMA synchronous = NORMAL");
    try {
      if (!this.#mergeAll()) return;
      run(MARK);
      // The first write makes the log: only now its salt is known.
      this.#readLog();
      run(`UPDATE identity SET salt = ${this.#log?.header.salt ?? "NULL"}`);
      reader = new DatabaseSync(this.#path, { readOnly: true });
      reader.exec("BEGIN; SELECT log FROM identity");
      run(REWRITE);
      run("PRAGMA wal_checkpoint(PASSIVE)");
      this.#readLog();
    } catch (error) {
      if (this.#connection.isTransaction) run("ROLLBACK");
      throw error;
    } finally {
      reader?.close();
      if (durability === "durable") run("PRAGMA synchronous = FULL");
    }
  }

  /** False where others read an older state, or write at the same time. */
  #mergeAll(): boolean {
    const merge = this.#connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    const { log, checkpointed } = merge.get() as { log: number; checkpointed: number };
    return log === checkpointed;
  }

  /** Part of a write: begins the next life where it is time. */
  inWrite(): void {
    if (this.#identity === undefined || isWithin(this.#turnedAt)) return;
    this.#connection
      .prepare(`UPDATE identity SET salt = ?, ${NEXT_LIFE}`)
      .run(this.#log?.header.salt ?? null);
  }

  /** Throws `STORE_FAILED` (replaced), now and before every later write, where the files are no longer those that were opened. */
  afterWrite(): void {
    if (!isWithin(this.#turnedAt)) this.#turnedAt = Date.now();
    if (this.#isChanged()) this.#look();
    this.#checkLog();
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log.file);
    this.#log = undefined;
    this.#connection.close();
  }

  #hasIdentity(): boolean {
    return (
      this.#connection
        .prepare("SELECT 1 FROM sqlite_schema WHERE name = 'identity' AND type = 'table'")
        .get() !== undefined
    );
  }

  /** Whether the main file was written to since it was looked at. Throws where it is another one. */
  #isChanged(): boolean {
    const { ino, mtimeMs, size } = this.#stat();
    if (ino !== this.#file.ino) throw this.#replaced("the file is another one");
    return mtimeMs !== this.#file.mtimeMs || size !== this.#file.size;
  }

  /** Compares the main file, read alone, with the one that was there before. Only a merge of the log changes it. */
  #look(): void {
    const before = this.#stat();
    const { now, wrong, isUnreadable } = lookAgain(
      () => this.#seen(),
      (seen) => seen.wrong === undefined,
    );
    // A file that cannot be read may be readable again; one that is another stays another.
    if (wrong !== undefined)
      throw isUnreadable ? storeError(this.#path, "replaced", wrong) : this.#replaced(wrong);
    this.#file = before;
    this.#identity = now;
    this.#isMarked = now?.log === 1;
  }

  #seen(): { now?: Identity | undefined; wrong?: string | undefined; isUnreadable?: boolean } {
    try {
      const now = readMain(this.#path).identity;
      return { now, wrong: this.#difference(now) };
    } catch (error) {
      return { wrong: (error as Error).message, isUnreadable: true };
    }
  }

  /** How a main file differs from the one that was there before; undefined where it goes on from it. */
  #difference(now: Identity | undefined): string | undefined {
    const before = this.#identity;
    if (before === undefined) return undefined;
    if (now === undefined || now.store !== before.store || now.generation !== before.generation)
      return "the file was overwritten with another one";
    return now.turn < before.turn ? "the file was overwritten with an older copy" : undefined;
  }

  #checkLog(): void {
    const before = this.#log?.header;
    const header = this.#readLog();
    if (header === undefined) throw this.#replaced("the log is gone");
    if (before === undefined || (header.salt === before.salt && header.salt2 === before.salt2)) return;
    if (!this.#hasLatest()) throw this.#replaced("the log was overwritten");
  }

  /**
   * Whether the last life, as this connection knows it, is on disk. A log begins anew once all of it was merged, as often as others
   * write much, and with any salt where another program truncated it: only what is in the files tells.
   */
  #hasLatest(): boolean {
    const latest = this.#connection.prepare(IDENTITY).get() as Identity | undefined;
    if (latest === undefined) return true;
    const isMerged = () => (readMain(this.#path).identity?.turn ?? 0) >= latest.turn;
    // It may be merged, and the log begin anew, between the two looks.
    return isMerged() || readLog(this.#path, latest)?.of === "same" || isMerged();
  }

  /** Undefined where the log is not the one that was opened first, or is none. */
  #readLog(): LogHeader | undefined {
    const ino = statSync(logPath(this.#path), { throwIfNoEntry: false })?.ino;
    if (ino === undefined || (this.#log !== undefined && this.#log.ino !== ino)) return undefined;
    const file = this.#log?.file ?? openSync(logPath(this.#path), "r");
    readSync(file, this.#bytes, 0, LOG_HEADER, 0);
    const header = parseLogHeader(this.#bytes);
    if (header !== undefined) this.#log = { file, ino, header };
    else if (this.#log === undefined) closeSync(file);
    return header;
  }

  #stat(): { ino: number; mtimeMs: number; size: number } {
    const { ino = 0, mtimeMs = 0, size = 0 } = statSync(this.#path, { throwIfNoEntry: false }) ?? {};
    return { ino, mtimeMs, size };
  }

  #replaced(why: string): Error {
    this.#refusal = storeError(this.#path, "replaced", why);
    return this.#refusal;
  }
}
