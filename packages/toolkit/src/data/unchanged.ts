import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { Refused } from "./child-io.ts";

const TRIES = 5;
/** A database counts its changes there. */
const HEADER = 100;
const CHUNK = 1024 * 1024;

/**
 * What `work` gives while the files did not change: it is done again where they did. Nothing is locked, so that nobody has to
 * wait for whoever reads, and this is what takes the place of it.
 */
export function whileUnchanged<Result>(state: () => string, work: () => Result): Result {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = state();
    let done: { result: Result } | { error: unknown };
    try {
      done = { result: work() };
    } catch (error) {
      done = { error };
    }
    if (state() !== before) continue;
    if ("error" in done) throw done.error;
    return done.result;
  }
  throw new Refused("The database is being changed all the time; try again later.");
}

/** A file as it is: every change of a database's file shows. */
export function stateOf(fd: number): string {
  const { size, mtimeNs } = fstatSync(fd, { bigint: true });
  return `${size}:${mtimeNs}:${headerOf(fd)}`;
}

/** How a file begins: that of a log changes when it is begun anew, and not when something is added. */
export function headerOf(fd: number): string {
  const bytes = Buffer.alloc(HEADER);
  readSync(fd, bytes, 0, HEADER, 0);
  return bytes.toString("hex");
}

export function copy(fd: number, to: string): void {
  const target = openSync(to, "w", 0o600);
  try {
    const bytes = Buffer.allocUnsafe(CHUNK);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(fd, bytes, 0, CHUNK, at);
      for (let written = 0; written < read; ) written += writeSync(target, bytes, written, read - written);
    }
  } finally {
    closeSync(target);
  }
}
