import { existsSync } from "node:fs";
import type { Database } from "./database.ts";
import { APPLICATION_ID } from "./schema.ts";
import { storeError } from "./store-error.ts";

/**
 * Brings a file to the latest version, in one transaction and after a copy of it was made beside it. A file of a newer
 * version, or of another program, is refused and left as it is.
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  const latest = migrations.length;
  const version = numberOf(database, "user_version");
  if (version === 0 && numberOf(database, "page_count") > 1 && hasTables(database)) {
    throw storeError(database.path, "not-a-store", "it is a database of another program");
  }
  if (version !== 0 && numberOf(database, "application_id") !== APPLICATION_ID) {
    throw storeError(database.path, "not-a-store", "it is a database of another program");
  }
  if (version > latest) {
    throw storeError(
      database.path,
      "newer-version",
      `the file has format ${version}, this version reads up to ${latest}`,
    );
  }
  if (version === latest) return;
  if (version > 0) backUp(database, version);
  database.write("durable", () => {
    // Another process may have migrated while this one waited for its turn.
    const current = numberOf(database, "user_version");
    for (const step of migrations.slice(current)) database.exec(step);
    database.exec(`PRAGMA user_version = ${latest}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Where the copy of a file goes before it is migrated. */
export function backupPath(path: string, version: number): string {
  return `${path}.v${version}.backup`;
}

function backUp(database: Database, version: number): void {
  const target = backupPath(database.path, version);
  if (database.path === ":memory:" || existsSync(target)) return;
  database.read(() => database.prepare("VACUUM INTO ?").run(target));
}

function hasTables(database: Database): boolean {
  return database.read(() => database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()) !== undefined;
}

function numberOf(database: Database, pragma: string): number {
  const row = database.read(() => database.prepare(`PRAGMA ${pragma}`).get()) as Record<string, number>;
  return row[pragma]!;
}
