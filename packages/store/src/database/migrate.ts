import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import type { Database } from "./database.ts";
import { syncFolder } from "./establish.ts";
import { readMain } from "./identity.ts";
import { APPLICATION_ID } from "./schema.ts";
import { storeError } from "./store-error.ts";

/**
 * Brings a file to the latest version, in one transaction and after a copy of it was made beside it. A file of a newer
 * version, or of another program, is refused and left as it is; so is an older one that can only be read.
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  const latest = migrations.length;
  const version = database.read(() => versionOf(database));
  if (version > latest) {
    const why = `the file has format ${version}, this version reads up to ${latest}`;
    throw storeError(database.path, "newer-version", why);
  }
  if (version === latest) return;
  if (database.readOnly) {
    const why = `the file has format ${version} and must first be brought to ${latest}`;
    throw storeError(database.path, "read-only", why);
  }
  if (version > 0) backUp(database, version);
  database.write("durable", () => {
    // Another process may have migrated while this one waited for its turn.
    const current = database.pragma("user_version");
    for (const step of migrations.slice(current)) database.exec(step);
    database.exec(`PRAGMA user_version = ${latest}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** 0 for a new file. Refuses a file that is not ours. */
function versionOf(database: Database): number {
  // Tables first: what another process makes at this moment appears together with its version.
  const empty = !hasTables(database);
  const version = database.pragma("user_version");
  const isOurs = version === 0 ? empty : database.pragma("application_id") === APPLICATION_ID;
  if (!isOurs) throw storeError(database.path, "not-a-store", "it is a database of another program");
  return version;
}

/** Where the copy of a file goes before it is migrated. */
export function backupPath(path: string, version: number): string {
  return `${path}.v${version}.backup`;
}

/**
 * Readable by its owner only, as the file is. It has another name until it is whole: a copy that was cut off, by a full disk or a
 * crash, is made again.
 */
function backUp(database: Database, version: number): void {
  const target = backupPath(database.path, version);
  if (database.path === ":memory:" || isCopyOf(target, version)) return;
  const draft = `${target}.unfinished-${process.pid}`;
  try {
    rmSync(draft, { force: true });
    closeSync(openSync(draft, "wx", 0o600));
    database.read(() => database.prepare("VACUUM INTO ?").run(draft));
    renameSync(draft, target);
    syncFolder(target);
  } finally {
    for (const end of ["", "-journal"]) rmSync(`${draft}${end}`, { force: true });
  }
}

function isCopyOf(path: string, version: number): boolean {
  try {
    return existsSync(path) && readMain(path).format === version;
  } catch {
    return false;
  }
}

function hasTables(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
