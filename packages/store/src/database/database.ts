import type { DatabaseSync as Connection, SQLInputValue, StatementSync } from "node:sqlite";
import { FileWatch } from "./file-watch.ts";
import { connectAlone, logPath, sizeOf } from "./identity.ts";
import { ONE_WAIT_MS, whenFree } from "./lock-wait.ts";
import { Reserve } from "./reserve.ts";
import { DatabaseSync } from "./sqlite.ts";
import { asStoreError, storeError } from "./store-error.ts";
import type { WriteLock } from "./write-lock.ts";

/**
 * "durable": on disk before the write returns, also if the power fails. "grouped": survives a crash of the process at
 * once and a power failure from the next durable write on.
 */
export type Durability = "durable" | "grouped";

export interface DatabaseOptions {
  /** How long a write waits for another process's. */
  busyTimeoutMs: number;
  readOnly: boolean;
  /** What the file may grow to. */
  maxBytes?: number;
  /** Where other threads of this process write to the file, too. */
  writeLock?: WriteLock;
  /** Reads the main file without the log beside it. */
  alone?: boolean;
}

/** A statement whose rows have the columns that `Row` names. */
export interface Statement<Row> extends Pick<StatementSync, "run"> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  all(named: Record<string, SQLInputValue>): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
}

/** One connection to one file. Every error that leaves it is a `ToolrigError`. */
export class Database {
  readonly path: string;
  readonly readOnly: boolean;
  /** How long a write waits for another process's, in milliseconds. */
  readonly patienceMs: number;
  /** For how long the last write kept others from writing, in milliseconds. */
  heldMs = 0;
  /** It writes into what the reserve made free. */
  isOutOfSpace = false;
  readonly #connection: Connection;
  #patienceMs: number;
  readonly #writeLock: WriteLock | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #durability: Durability = "durable";
  #writing = false;
  /** Absent for a database in memory. */
  readonly #watch: FileWatch | undefined;
  readonly #reserve: Reserve | undefined;
  #open = true;

  constructor(path: string, options: DatabaseOptions) {
    const { busyTimeoutMs, readOnly, maxBytes, writeLock, alone = false } = options;
    this.path = path;
    this.#writeLock = writeLock;
    this.readOnly = readOnly;
    this.patienceMs = busyTimeoutMs;
    this.#patienceMs = busyTimeoutMs;
    this.#connection = this.#attempt(() => connect(path, readOnly, busyTimeoutMs, alone));
    try {
      this.#attempt(() => this.#setUp(maxBytes));
      this.#connection.exec(`PRAGMA busy_timeout = ${Math.min(busyTimeoutMs, ONE_WAIT_MS)}`);
      if (path !== ":memory:" && !readOnly) {
        this.#watch = new FileWatch(path, this.#connection);
        this.#reserve = new Reserve(path);
      }
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** A statement, prepared once. Tables are strict, so that a row holds what their columns declare: `Row` repeats it. */
  prepare<Row>(sql: string): Statement<Row> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#attempt(() => this.#whenFree(() => this.#connection.prepare(sql)));
      this.#statements.set(sql, statement);
    }
    return statement as unknown as Statement<Row>;
  }

  /** The row of a statement that always has one: a pragma, an aggregate, what was just written. */
  row<Row>(sql: string, ...values: SQLInputValue[]): Row {
    const row = this.prepare<Row>(sql).get(...values);
    if (row === undefined) throw storeError(this.path, "corrupt", `nothing came of ${sql}`);
    return row;
  }

  /** The number that a pragma answers. */
  pragma<Name extends "application_id" | "data_version" | "page_count" | "page_size" | "user_version">(
    name: Name,
  ): number {
    return this.row<Record<Name, number>>(`PRAGMA ${name}`)[name];
  }

  exec(sql: string): void {
    this.#attempt(() => this.#whenFree(() => this.#connection.exec(sql)));
  }

  /** `work` changes nothing: it is done again where another process has locked even reading, as it does for a moment after a crash. */
  read<T>(work: () => T): T {
    return this.#attempt(() => this.#whenFree(work));
  }

  /** Writes inside of `work` wait for a lock for so long only, as reads do. */
  withPatience<T>(patienceMs: number, work: () => T): T {
    const before = this.#patienceMs;
    this.#patienceMs = Math.min(patienceMs, this.patienceMs);
    try {
      return work();
    } finally {
      this.#patienceMs = before;
    }
  }

  /** Everything that `work` reads is of one moment; what it makes for itself, in `temp`, is gone afterwards. */
  snapshot<T>(work: () => T): T {
    return this.#attempt(() => {
      this.#connection.exec("BEGIN");
      try {
        return work();
      } finally {
        this.#rollback();
      }
    });
  }

  /** All of `work` or nothing of it. A write inside of another is part of it. */
  write<T>(durability: Durability, work: () => T): T {
    if (this.readOnly) throw storeError(this.path, "read-only");
    if (this.#writing) return work();
    return this.#attempt(() => {
      if (this.#durability !== durability) {
        this.#connection.exec(`PRAGMA synchronous = ${durability === "durable" ? "FULL" : "NORMAL"}`);
        this.#durability = durability;
      }
      this.#writeLock?.take();
      try {
        this.#whenFree(() => this.#watch?.beforeWrite(durability));
        return this.#transact(work);
      } finally {
        this.#writeLock?.release();
      }
    });
  }

  #transact<T>(work: () => T): T {
    this.#whenFree(() => this.#connection.exec("BEGIN IMMEDIATE"));
    this.#writing = true;
    const begun = performance.now();
    try {
      const answer = work();
      this.#watch?.inWrite();
      this.#connection.exec("COMMIT");
      this.heldMs = performance.now() - begun;
      // Afterwards, so that a caller that is told that it is written can rely on it.
      this.#watch?.afterWrite();
      this.#reserve?.keepUp();
      return answer;
    } catch (error) {
      this.#rollback();
      throw error;
    } finally {
      this.#writing = false;
    }
  }

  /**
   * Room for writing on a full disk: the reserve is given up, and the log merged. False where that made none. `keepReserve` once
   * there is room again.
   */
  useReserve(): boolean {
    if (this.#reserve?.release() !== true) return false;
    this.isOutOfSpace = true;
    this.mergeLog();
    return true;
  }

  /** Gives the space of the log back to the disk, as far as others let it. */
  mergeLog(): void {
    try {
      this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // There is no room for it yet.
    }
  }

  keepReserve(): void {
    this.isOutOfSpace = false;
    this.#reserve?.keep();
  }

  close(): void {
    if (!this.#open) return;
    this.#statements.clear();
    this.#attempt(() => (this.#watch === undefined ? this.#connection.close() : this.#watch.close()));
    this.#open = false;
  }

  #setUp(maxBytes: number | undefined): void {
    const run = (sql: string) => this.#connection.exec(sql);
    // Reading the header first: a file that is no database is refused before anything is set.
    this.#connection.prepare("SELECT count(*) FROM sqlite_schema").get();
    run("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -16000");
    if (this.readOnly) return;
    const { journal_mode: mode } = this.row<{ journal_mode: string }>("PRAGMA journal_mode");
    if (mode !== "wal" && mode !== "memory") {
      if (this.pragma("page_count") === 0) run("PRAGMA auto_vacuum = INCREMENTAL");
      run("PRAGMA journal_mode = WAL");
    }
    run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
    // 32 MB of log with SQLite's usual pages: merging it waits for the disk, in the midst of calls.
    run("PRAGMA wal_autocheckpoint = 8000");
    if (maxBytes !== undefined)
      run(`PRAGMA max_page_count = ${Math.floor(maxBytes / this.pragma("page_size"))}`);
  }

  /** SQLite rolls back by itself when the disk is full or fails; a second rollback then has nothing to do. */
  #rollback(): void {
    try {
      this.#connection.exec("ROLLBACK");
    } catch {
      // The error that led here is the one to report.
    }
  }

  #whenFree<T>(work: () => T): T {
    return this.#writing ? work() : whenFree(this.#patienceMs, work);
  }

  #attempt<T>(work: () => T): T {
    if (!this.#open) throw storeError(this.path, "closed");
    try {
      return work();
    } catch (error) {
      throw asStoreError(this.path, error);
    }
  }
}

/** SQLITE_READONLY and SQLITE_CANTOPEN: even reading wants to put a file beside it that coordinates writers. */
const NEEDS_TO_WRITE: ReadonlySet<number> = new Set([8, 14]);

function connect(path: string, readOnly: boolean, timeout: number, alone: boolean): Connection {
  if (!readOnly) return new DatabaseSync(path, { timeout });
  return alone ? connectAlone(path, timeout) : connectToRead(path, timeout);
}

/** Reads a file and its log, also where the folder cannot be written to. */
export function connectToRead(path: string, timeout: number): Connection {
  const connection = new DatabaseSync(path, { timeout, readOnly: true });
  try {
    connection.prepare("SELECT count(*) FROM sqlite_schema").get();
    return connection;
  } catch (error) {
    connection.close();
    const left = sizeOf(logPath(path)) > 0;
    if (!NEEDS_TO_WRITE.has(((error as { errcode?: number }).errcode ?? 0) & 0xff) || left) throw error;
    // Nothing is left to be merged, so a folder that cannot be written to does not keep the file from being read.
    return connectAlone(path, timeout);
  }
}
