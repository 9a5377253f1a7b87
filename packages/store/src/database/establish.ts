import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { finishMerge, isWholeWithLog } from "./cut-off-merge.ts";
import {
  follows,
  type Identity,
  LOG_HEADER,
  logPath,
  lookAgain,
  type MainFile,
  readLog,
  readMain,
  sizeOf,
  WITHOUT_LOG,
} from "./identity.ts";
import { APPLICATION_ID } from "./schema.ts";
import { DatabaseSync } from "./sqlite.ts";
import { asStoreError, storeError } from "./store-error.ts";

/** How the file was found. */
export interface Established {
  /** It, or its folder, can only be read. */
  readOnly: boolean;
  /** A log of another file lies beside it, which must not be read: only the main file counts. */
  alone: boolean;
}

/** `settled`: looking again would find the same. `other-log`: the main file is whole, and the log beside it another's. */
type Verdict =
  | { ok: true }
  | { ok: false; because: "settled" | "unreadable" | "no-log" | "other-log"; error: Error };

/**
 * The file itself, where the path is a link to it: SQLite keeps the log beside the file, and a restore replaces the file. Throws
 * `STORE_FAILED` for a link that leads nowhere, unless the file `mayBeLost`: its disk may be missing, and no new store is begun.
 */
export function locate(path: string, { mayBeLost = false } = {}): string {
  const where = resolve(path);
  if (!isLink(where)) return where;
  if (existsSync(where)) return realpathSync(where);
  const file = resolve(dirname(where), readlinkSync(where));
  if (mayBeLost) return file;
  throw storeError(where, "no-access", `it is a link to ${file}, where there is no file`);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // What is wrong with it shows when it is opened.
    return false;
  }
}

/**
 * Looks at a store's files before SQLite does, and makes the store where there is nothing at all. SQLite would take a missing or
 * empty file for a new database, delete the log beside it, and replay a log that belongs to another file. Throws `STORE_FAILED`
 * for every file that is not a whole store; nothing is changed then.
 */
export function establish(path: string, migrations: readonly string[], readOnly: boolean): Established {
  if (path === ":memory:") return { readOnly: false, alone: false };
  if (!existsSync(path)) {
    refuseRemains(path);
    if (readOnly) throw storeError(path, "no-access", "there is no such file");
    make(path, migrations);
  }
  const look = () => judge(path, migrations.length);
  let verdict = lookAgain(look, (seen) => seen.ok || seen.because === "settled");
  const mayWrite = !readOnly && isWritable(path);
  if (!verdict.ok && verdict.because === "unreadable" && isWholeWithLog(path)) {
    if (!mayWrite) return { readOnly: true, alone: false };
    finishMerge(path);
    verdict = look();
  }
  if (verdict.ok) {
    if (mayWrite) adopt(path);
    return { readOnly: !mayWrite, alone: false };
  }
  if (verdict.because !== "other-log") throw verdict.error;
  if (!mayWrite) return { readOnly: true, alone: true };
  setLogAside(path);
  adopt(path);
  return { readOnly: false, alone: false };
}

/**
 * A copy that `backup` made becomes a store of its own when it is opened to be written to: it was put in the place of a store, which
 * has gone on since.
 */
function adopt(path: string): void {
  const { identity } = readMain(path);
  if (identity === undefined || identity.copied_at === null) return;
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  try {
    connection.exec(adopting("copied_at", "copied_at IS NOT NULL"));
  } catch (error) {
    throw asStoreError(path, error);
  } finally {
    connection.close();
  }
}

/** Makes a live store of a copy: one that knows when it was copied, and that it is not the one it was copied from. */
export function adopting(from: number | "copied_at", where: string): string {
  return `UPDATE identity SET generation = randomblob(16), life = randomblob(16), previous = NULL, turn = 0, ${WITHOUT_LOG},
    restored_from = min(${from}, coalesce(restored_from, ${from})), restored_at = ${Date.now()}, copied_at = NULL, accepted = NULL WHERE ${where}`;
}

/** SQLITE_NOTADB */
const NOT_A_DATABASE = 26;

/** A log without its main file is what is left of a store. */
function refuseRemains(path: string): void {
  for (const end of ["-wal", "-journal"])
    if (sizeOf(`${path}${end}`) > 0)
      throw storeError(path, "no-file", `${path}${end} has ${sizeOf(`${path}${end}`)} bytes`);
}

function judge(path: string, latest: number): Verdict {
  const refused = (error: Error): Verdict => ({ ok: false, because: "settled", error });
  if (!statSync(path).isFile()) return refused(storeError(path, "no-access", "it is not a file"));
  if (sizeOf(path) === 0) return refused(storeError(path, "empty"));
  const logBytes = sizeOf(logPath(path));
  let main: MainFile;
  try {
    main = readMain(path);
  } catch (thrown) {
    const error = asStoreError(path, thrown) as Error;
    const isDatabase = (thrown as { errcode?: number }).errcode !== NOT_A_DATABASE;
    return { ok: false, because: isDatabase ? "unreadable" : "settled", error };
  }
  if (main.applicationId !== APPLICATION_ID) return judgeUnmarked(path, main, logBytes);
  if (main.format > latest) {
    const why = `the file has format ${main.format}, this version reads up to ${latest}`;
    return refused(storeError(path, "newer-version", why));
  }
  return main.identity === undefined ? { ok: true } : judgeLog(path, main.identity, logBytes);
}

function judgeLog(path: string, identity: Identity, logBytes: number): Verdict {
  const log = readLog(path, identity);
  const bytes = `${logPath(path)} has ${logBytes} bytes`;
  if (log === undefined && identity.log === 0) return { ok: true };
  // A copy that `backup` made never had a log.
  if (identity.copied_at !== null)
    return { ok: false, because: "other-log", error: storeError(path, "other-log") };
  if (log === undefined) return { ok: false, because: "no-log", error: storeError(path, "no-log", bytes) };
  if (log.of === "same") return { ok: true };
  const { salt } = identity;
  // The main file is whole. The log has no identity in it: another program wrote to this file, or a write was cut off.
  if (log.of !== "other" && identity.log === 0) return { ok: true };
  // Killed in its first write after the log began anew, it has nothing of the file yet.
  if (log.of !== "other" && salt !== null && follows(log.salt, salt)) return { ok: true };
  return { ok: false, because: "no-log", error: storeError(path, "other-log", bytes) };
}

/**
 * A main file without our application id: another program's, or a store of an older format that nothing was merged into yet.
 * All of such a store is in its log.
 */
function judgeUnmarked(path: string, main: MainFile, logBytes: number): Verdict {
  const foreign = storeError(path, "not-a-store", "it is a database of another program");
  if (main.applicationId !== 0 || main.hasTables || main.format !== 0)
    return { ok: false, because: "settled", error: foreign };
  if (logBytes <= LOG_HEADER)
    return {
      ok: false,
      because: "settled",
      error: storeError(path, "no-log", "nothing was merged from it yet"),
    };
  // A connection that only reads merges nothing and deletes nothing.
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    const id = connection.prepare("PRAGMA application_id").get() as { application_id: number };
    return id.application_id === APPLICATION_ID
      ? { ok: true }
      : { ok: false, because: "settled", error: foreign };
  } catch (error) {
    return { ok: false, because: "settled", error: asStoreError(path, error) as Error };
  } finally {
    connection.close();
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes a whole store under another name, and gives it its own when all of it is on disk. */
function make(path: string, migrations: readonly string[]): void {
  const draft = `${path}.new-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(draft, "wx", 0o600));
    const connection = new DatabaseSync(draft);
    try {
      connection.exec(
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN",
      );
      for (const step of migrations) connection.exec(step);
      connection.exec(
        `PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`,
      );
    } finally {
      connection.close();
    }
    place(draft, path);
  } catch (error) {
    const known = asStoreError(path, error);
    throw known === error ? storeError(path, "no-access", (error as Error).message, error) : known;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${draft}${end}`, { force: true });
  }
}

/** Of many processes that make the same store at once, the first one's stays. */
function place(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST" && existsSync(path)) return;
    // Some file systems have no links.
    if (code !== "EEXIST") renameSync(draft, path);
  }
  syncFolder(path);
}

/** Puts the name of a file on disk, where the system can. */
export function syncFolder(path: string): void {
  try {
    const folder = openSync(dirname(path), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Not every system opens folders.
  }
}

/** Renames a log that belongs to another file, so that nothing replays it and nothing is lost. Returns its new name. */
function setLogAside(path: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  let name = `${logPath(path)}.set-aside-${stamp}`;
  for (let n = 2; existsSync(name); n++) name = `${logPath(path)}.set-aside-${stamp}-${n}`;
  renameSync(logPath(path), name);
  rmSync(`${path}-shm`, { force: true });
  syncFolder(path);
  return name;
}
