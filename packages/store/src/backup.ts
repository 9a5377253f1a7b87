import { closeSync, existsSync, fsyncSync, openSync, realpathSync, renameSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync as Connection } from "node:sqlite";
import { ToolrigError } from "@toolrig/core";
import { connectToRead } from "./database/database.ts";
import { syncFolder } from "./database/establish.ts";
import { readMain, WITHOUT_LOG } from "./database/identity.ts";
import { DatabaseSync } from "./database/sqlite.ts";
import { asStoreError, storeError } from "./database/store-error.ts";
import { draftOf, removeDraft } from "./draft.ts";

/** How long another process's lock is waited for. */
export const TIMEOUT_MS = 2_000;

/** A copy of a store that was made and verified. */
export interface Backup {
  path: string;
  /** What was written before this moment is in it, in epoch milliseconds. */
  at: number;
}

/**
 * Writes a copy of a store while others write to it: one snapshot, under a name of its own until it is whole, verified and on disk: of
 * several backups to one target that run at once, the last one stays. Readable by its owner only. Replaces an older backup, and throws `OPTION_INVALID` where anything else is in its place.
 */
export function backUp(source: string, target: string): Backup {
  const path = resolve(target);
  checkTarget(source, path);
  const draft = draftOf(path, "unfinished");
  const at = Date.now();
  try {
    closeSync(openSync(draft, "wx", 0o600));
    using(connectToRead(source, TIMEOUT_MS), (from) => from.prepare("VACUUM INTO ?").run(draft));
    withConnection(draft, (copy) => {
      copy.exec(`UPDATE identity SET generation = randomblob(16), life = randomblob(16), previous = NULL, turn = 0,
        ${WITHOUT_LOG}, copied_at = ${at}`);
      checkWhole(copy, draft);
    });
    syncFile(draft);
    renameSync(draft, path);
    syncFolder(path);
    return { path, at };
  } catch (error) {
    throw asStoreError(path, error);
  } finally {
    removeDraft(draft);
  }
}

function checkTarget(source: string, path: string): void {
  if (!existsSync(path)) return;
  if (realpathSync(path) !== realpathSync(source) && isBackup(path)) return;
  const message = `There is a file ${path} already, which is no backup of a store. Give another name for the backup.`;
  throw new ToolrigError("OPTION_INVALID", message);
}

/** Whether a file is a copy that `backup` made and nothing has been written to since. */
export function isBackup(path: string): boolean {
  try {
    return readMain(path).identity?.copied_at != null;
  } catch {
    return false;
  }
}

/** Throws `STORE_FAILED` where SQLite finds something wrong with it. */
export function checkWhole(connection: Connection, path: string): void {
  const rows = connection.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
  const [first] = rows;
  if (rows.length !== 1 || first?.integrity_check !== "ok")
    throw storeError(path, "corrupt", first?.integrity_check ?? "it cannot be checked");
}

export function withConnection<T>(path: string, use: (connection: Connection) => T): T {
  return using(new DatabaseSync(path, { timeout: TIMEOUT_MS }), use);
}

export function using<T>(connection: Connection, use: (connection: Connection) => T): T {
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
