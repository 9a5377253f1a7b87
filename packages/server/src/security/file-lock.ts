import { DatabaseSync } from "node:sqlite";

/** How long somebody else may take. */
const WAIT_MS = 10_000;

/**
 * Does something while no other process and no other part of this one does, beside a file that they share. The lock is the
 * system's own, taken by way of SQLite: a process that dies leaves none behind. Throws when it cannot be had in ten seconds.
 */
export function whileLocked<Result>(file: string, act: () => Result): Result {
  const lock = new DatabaseSync(`${file}.lock`, { timeout: WAIT_MS });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return act();
  } finally {
    lock.close();
  }
}
