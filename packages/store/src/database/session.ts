import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isMainThread } from "node:worker_threads";
import type { Database } from "./database.ts";

interface SessionRow {
  id: number;
  host: string;
  pid: number;
  birth: string;
  ended: number;
}

/**
 * The life of one opened store in one thread of one process. What a session left unfinished may be taken up by another only once
 * its thread is gone; ids of processes and threads alone do not tell, because they are reused.
 */
export class Session {
  readonly #database: Database;
  readonly #now: () => number;
  #id: number | undefined;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Inside a write: made on first use, so that opening a store that is locked does not need the lock. */
  id(): number {
    if (this.#id !== undefined && this.#exists(this.#id)) return this.#id;
    const { lastInsertRowid } = this.#database
      .prepare("INSERT INTO sessions (host, pid, birth, opened_at) VALUES (?, ?, ?, ?)")
      .run(hostname(), process.pid, ownBirth(), this.#now());
    this.#id = Number(lastInsertRowid);
    return this.#id;
  }

  /** Inside a write: a session that is over, for what no process works on any more. */
  over(): number {
    const { lastInsertRowid } = this.#database
      .prepare("INSERT INTO sessions (host, pid, birth, opened_at, ended) VALUES (?, ?, ?, ?, 1)")
      .run(hostname(), process.pid, "", this.#now());
    return Number(lastInsertRowid);
  }

  /** What is nobody's is not mine either. */
  isMine(id: number | null): boolean {
    return id !== null && id === this.#id;
  }

  isAlive(id: number | null): boolean {
    if (this.isMine(id)) return true;
    const row = this.#database.prepare<SessionRow>("SELECT * FROM sessions WHERE id = ?").get(id);
    return row !== undefined && row.ended === 0 && isRunning(row);
  }

  /** Never throws: a session whose end cannot be noted is over all the same once its process is gone. */
  end(): void {
    if (this.#id === undefined || this.#database.readOnly) return;
    const id = this.#id;
    try {
      this.#database.write("grouped", () =>
        this.#database.prepare("UPDATE sessions SET ended = 1 WHERE id = ?").run(id),
      );
    } catch {
      // The file cannot be written to, which whoever wrote last was told.
    }
  }

  /** The transaction that made the session may have been rolled back. */
  #exists(id: number): boolean {
    return this.#database.prepare("SELECT 1 FROM sessions WHERE id = ?").get(id) !== undefined;
  }
}

function isRunning({ host, pid, birth }: SessionRow): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = birthOf(`${pid}`);
  if (now === undefined) return true;
  const [ofProcess, thread, ofThread] = birth.split(" ");
  if (now !== ofProcess) return false;
  return thread === undefined || birthOf(`${pid}/task/${thread}`) === ofThread;
}

/**
 * The birth of this process, and in a worker also the system's id and the birth of its thread: `terminate()` ends a worker without a
 * word. Where the system does not tell threads apart, a worker counts as alive for as long as its process is.
 */
function ownBirth(): string {
  const birth = birthOf(`${process.pid}`) ?? "";
  if (isMainThread) return birth;
  try {
    const thread = readlinkSync("/proc/thread-self").split("/").at(-1);
    const ofThread = birthOf(`${process.pid}/task/${thread}`);
    return ofThread === undefined ? birth : `${birth} ${thread} ${ofThread}`;
  } catch {
    return birth;
  }
}

/** When a process or thread was born, in whatever unit the system keeps; undefined where it does not tell. */
function birthOf(task: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${task}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "zombie" : fields[19];
  } catch {
    return undefined;
  }
}
