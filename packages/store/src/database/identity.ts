import { closeSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync as Connection } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { LogChecksum, type LogChecksumSeed } from "./log-checksum.ts";
import { DatabaseSync } from "./sqlite.ts";

/**
 * What a store's main file says of itself when it is read alone, without the log beside it.
 *
 * `store` is chosen when the store is made and stays; `generation` is another one in every copy. `life` is another one every moment
 * in which there are writes, and `turn` counts them: an older copy of the file shows. `log` is 1 while something that was written
 * is in the log only: two tables then have different numbers. `salt` is the one in the log's header, which grows by one whenever the log begins anew.
 */
export interface Identity {
  store: string;
  generation: string;
  life: string;
  turn: number;
  log: number;
  salt: number | null;
  copied_at: number | null;
  restored_from: number | null;
  restored_at: number | null;
}

/** What is in a main file, read alone. */
export interface MainFile {
  applicationId: number;
  format: number;
  hasTables: boolean;
  /** Absent in files of formats before 5. */
  identity?: Identity;
}

/** The one row that a store has of itself. */
export const IDENTITY = `SELECT hex(store) AS store, hex(generation) AS generation, hex(life) AS life, turn, salt, copied_at,
  log <> (SELECT m.log FROM merged m) AS log, restored_from, restored_at FROM identity`;

/** Sets of a statement about `identity`: the log holds nothing that the main file lacks. */
export const WITHOUT_LOG = "log = (SELECT m.log FROM merged m), salt = NULL";

/** A connection to the main file as if there were no log. It takes no locks and makes no files. */
export function connectAlone(path: string, timeout = 0, options: { defensive?: boolean } = {}): Connection {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { timeout, readOnly: true, ...options });
}

/** SQLITE_CORRUPT */
const CORRUPT = 11;

/**
 * Reads the main file as if there were no log, changing nothing. It goes through SQLite: a file that this process opened and
 * closed in another way would lose the locks that SQLite holds on it. Throws what SQLite throws.
 *
 * A merge of the log, which another process makes at this moment or was killed in, writes the first page before those that make
 * the file longer. A file that is shorter than its first page says is whole where the log has the rest.
 */
export function readMain(path: string): MainFile {
  try {
    return readAlone(path, false);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== CORRUPT || !logHasRest(path)) throw error;
    return readAlone(path, true);
  }
}

function readAlone(path: string, isShort: boolean): MainFile {
  const connection = connectAlone(path, 0, isShort ? { defensive: false } : {});
  try {
    // SQLite reads a short file only where a schema may be repaired.
    if (isShort) connection.exec("PRAGMA writable_schema = ON");
    const number = (name: string) =>
      Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
    const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const main = {
      applicationId: number("application_id"),
      format: number("user_version"),
      hasTables: tables.length > 0,
    };
    if (!tables.some(({ name }) => name === "identity")) return main;
    const identity = connection.prepare(IDENTITY).get() as Identity | undefined;
    return identity === undefined ? main : { ...main, identity };
  } finally {
    connection.close();
  }
}

/** How often something is looked at again that may be half written at this moment, and after how long: about 2 s in all. */
const LOOKS = 100;
const BETWEEN_LOOKS_MS = 20;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * Looks until `isSettled`, and gives the last look in any case. A merge by another process writes page by page, so that a main file
 * that is read alone may seem damaged, or to be another one, until it is over.
 */
export function lookAgain<Look>(look: () => Look, isSettled: (seen: Look) => boolean): Look {
  let seen = look();
  for (let n = 1; n < LOOKS && !isSettled(seen); n++) {
    Atomics.wait(nobody, 0, 0, BETWEEN_LOOKS_MS);
    seen = look();
  }
  return seen;
}

/** The log beside a main file. */
export interface LogHeader extends LogChecksumSeed {
  salt: number;
  salt2: number;
  pageSize: number;
}

export const LOG_HEADER = 32;
const FRAME_HEADER = 24;
export function logPath(path: string): string {
  return `${path}-wal`;
}

/** How many bytes a file has; 0 for none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Undefined where the bytes are no header of a log. */
export function parseLogHeader(bytes: Buffer): LogHeader | undefined {
  if (bytes.length < LOG_HEADER || bytes.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return undefined;
  return {
    pageSize: bytes.readUInt32BE(8),
    salt: bytes.readUInt32BE(16),
    salt2: bytes.readUInt32BE(20),
    isBigEndian: (bytes.readUInt32BE(0) & 1) === 1,
    sum1: bytes.readUInt32BE(24),
    sum2: bytes.readUInt32BE(28),
  };
}

/** The salt of a log, and what it has of a store; undefined where there is no log with a frame. */
export interface FoundLog {
  salt: number;
  /**
   * "same": it goes on from this very file. "other": from another one, or from an older or newer copy. "nothing": no transaction
   * was committed to it since it began anew, so that SQLite reads nothing from it.
   */
  of: "same" | "other" | "unknown" | "nothing";
}

export function readLog(path: string, { store, life }: Identity): FoundLog | undefined {
  if (sizeOf(logPath(path)) <= LOG_HEADER + FRAME_HEADER) return undefined;
  const file = openSync(logPath(path), "r");
  try {
    const header = parseLogHeader(read(file, 0, LOG_HEADER));
    return header === undefined ? undefined : { salt: header.salt, of: originOf(file, header, store, life) };
  } finally {
    closeSync(file);
  }
}

/** Every life that a log went through is in it with the one before it: the file's own is among them, or the log is another's. */
function originOf(file: number, header: LogHeader, store: string, life: string): FoundLog["of"] {
  const wanted = { store: Buffer.from(store, "hex"), life: Buffer.from(life, "hex") };
  let of: FoundLog["of"] = "nothing";
  for (const frames of framesOf(file, header)) {
    if (of === "nothing" && hasCommit(frames, FRAME_HEADER + header.pageSize)) of = "unknown";
    if (frames.includes(wanted.life)) return "same";
    if (frames.includes(wanted.store)) of = "other";
  }
  return of;
}

/** The first byte that SQLite locks. The page that it is in is never written. */
const LOCKED_BYTE = 0x40000000;

/** Whether the log has every page that a main file is shorter by than the log's last transaction made it. */
function logHasRest(path: string): boolean {
  if (sizeOf(logPath(path)) <= LOG_HEADER + FRAME_HEADER) return false;
  const file = openSync(logPath(path), "r");
  try {
    const header = parseLogHeader(read(file, 0, LOG_HEADER));
    if (header === undefined) return false;
    const { pageSize } = header;
    const inMain = Math.floor(sizeOf(path) / pageSize);
    const inLog = new Set([Math.floor(LOCKED_BYTE / pageSize) + 1]);
    let pages = 0;
    for (const frames of framesOf(file, header))
      for (let at = 0; at < frames.length; at += FRAME_HEADER + pageSize) {
        inLog.add(frames.readUInt32BE(at));
        pages = frames.readUInt32BE(at + 4) || pages;
      }
    for (let page = inMain + 1; page <= pages; page++) if (!inLog.has(page)) return false;
    return pages > 0;
  } finally {
    closeSync(file);
  }
}

/** How many frames are read at once. */
const FRAMES = 256;

/** The frames of a log that SQLite would read, many at a time. */
function* framesOf(file: number, header: LogHeader): Generator<Buffer> {
  const frame = FRAME_HEADER + header.pageSize;
  const sum = new LogChecksum(header);
  for (let at = LOG_HEADER; ; at += FRAMES * frame) {
    const bytes = read(file, at, FRAMES * frame);
    const frames = wholeFrames(bytes, frame, header, sum);
    yield bytes.subarray(0, frames * frame);
    if (frames < FRAMES) return;
  }
}

/**
 * How many frames, from the first, were written since the log began anew, and wholly: behind them lies what it held before. The
 * checksum of each goes on from the one before.
 */
function wholeFrames(bytes: Buffer, frame: number, { salt, salt2 }: LogHeader, sum: LogChecksum): number {
  let count = 0;
  for (let at = 0; at + frame <= bytes.length; at += frame) {
    if (bytes.readUInt32BE(at + 8) !== salt || bytes.readUInt32BE(at + 12) !== salt2) break;
    sum.add(bytes.subarray(at, at + 8));
    sum.add(bytes.subarray(at + FRAME_HEADER, at + frame));
    if (!sum.is(bytes.readUInt32BE(at + 16), bytes.readUInt32BE(at + 20))) break;
    count += 1;
  }
  return count;
}

/** Whether one of the frames ends a transaction: such a frame names the size of the database. */
function hasCommit(frames: Buffer, frame: number): boolean {
  for (let at = 0; at < frames.length; at += frame) if (frames.readUInt32BE(at + 4) !== 0) return true;
  return false;
}

function read(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}

/** How often a log may have begun anew between two notes of its salt: processes that share a file note it one after the other. */
const LAG = 16;

/** Whether a log with this salt is that of the one who noted the other salt, now or a little later. */
export function follows(salt: number, noted: number): boolean {
  return (salt - noted) >>> 0 <= LAG;
}
