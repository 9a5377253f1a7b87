import { LOG_HEADER, logPath, sizeOf } from "./identity.ts";
import { APPLICATION_ID } from "./schema.ts";
import { DatabaseSync } from "./sqlite.ts";
import { asStoreError } from "./store-error.ts";

/**
 * Whether a main file that cannot be read alone is whole together with the log beside it. A process that was killed while it merged
 * a log that changes the schema leaves such a file: its first pages name tables that are in the log only. A log of another file
 * would not make a database of the two.
 */
export function isWholeWithLog(path: string): boolean {
  if (sizeOf(logPath(path)) <= LOG_HEADER) return false;
  // A connection that only reads merges nothing and deletes nothing.
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    const id = connection.prepare("PRAGMA application_id").get() as { application_id: number };
    const checked = connection.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
    return id.application_id === APPLICATION_ID && checked.integrity_check === "ok";
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** Does to the end what a killed process began. */
export function finishMerge(path: string): void {
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  try {
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    throw asStoreError(path, error);
  } finally {
    connection.close();
  }
}
