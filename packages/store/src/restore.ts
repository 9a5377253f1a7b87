import { constants, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { checkWhole, syncFile, TIMEOUT_MS, using, withConnection } from "./backup.ts";
import { connectToRead } from "./database/database.ts";
import { adopting, establish, locate, syncFolder } from "./database/establish.ts";
import { readMain, sizeOf } from "./database/identity.ts";
import { MIGRATIONS } from "./database/schema.ts";
import { asStoreError, storeError } from "./database/store-error.ts";
import { draftOf, removeDraft } from "./draft.ts";

/** What became of a restore. */
export interface Restored {
  path: string;
  /** The time of the backup, in epoch milliseconds: the store knows nothing of what was begun later. */
  from: number;
  /** Where the store is that was in its place, with its log. Absent where there was none. */
  setAside?: string;
}

/**
 * Puts a copy of a store into the place of another, or of one that is damaged or incomplete. What was there is set aside, with its
 * log: nothing of it is deleted, and none of it is read again. At every moment the place holds the old file or the restored one, so
 * that a restore which is cut off never leaves room for a new, empty store. Processes that have the old one open refuse
 * side effects from then on.
 *
 * The restored store knows that the world may have gone on: see `Store.restored`. Throws `STORE_FAILED` for a copy that is not
 * whole, and leaves everything as it was.
 */
export function restoreStore(backup: string, target: string): Restored {
  const [source, path] = [resolve(backup), locate(target, { mayBeLost: true })];
  const from = check(source);
  const draft = draftOf(path, "restoring");
  try {
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(source, draft, constants.COPYFILE_EXCL);
    withConnection(draft, (copy) => {
      checkWhole(copy, source);
      copy.exec(adopting(from, "1"));
    });
    syncFile(draft);
    const setAside = setStoreAside(path);
    renameSync(draft, path);
    syncFolder(path);
    return { path, from, ...(setAside !== undefined && { setAside }) };
  } catch (error) {
    throw asStoreError(path, error);
  } finally {
    removeDraft(draft);
  }
}

/** The time of a copy. Throws `STORE_FAILED` where it is no whole store. */
function check(source: string): number {
  if (!existsSync(source))
    throw new ToolrigError("OPTION_INVALID", `There is no file ${source} to restore from.`);
  establish(source, MIGRATIONS, true);
  const { identity } = readMain(source);
  if (identity === undefined)
    throw storeError(
      source,
      "not-a-store",
      "it is of an older format; open it once, which migrates it, and then restore it",
    );
  if (sizeOf(`${source}-wal`) > 0)
    throw storeError(
      source,
      "other-log",
      "it is in use, or was not closed. Make a copy of it with `toolrig backup`",
    );
  return identity.copied_at ?? latestIn(source);
}

/** The last moment that a file knows of, for a copy that was made by hand. */
function latestIn(path: string): number {
  return using(connectToRead(path, TIMEOUT_MS), (connection) => {
    const row = connection
      .prepare(
        `SELECT max(coalesce((SELECT max(closed_at) FROM ledger), 0), coalesce((SELECT max(intended_at) FROM ledger), 0),
         coalesce((SELECT max(updated_at) FROM runs), 0), coalesce((SELECT head_at FROM chain), 0)) AS latest`,
      )
      .get() as { latest: number };
    return row.latest;
  });
}

/** The old file stays in its place until the restored one replaces it; its log goes first, and a file without it is refused. */
function setStoreAside(path: string): string | undefined {
  const ends = ["-wal", "-journal"].filter((end) => sizeOf(`${path}${end}`) > 0);
  if (!existsSync(path) && ends.length === 0) return undefined;
  const aside = `${path}.before-restore-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`;
  if (existsSync(path)) linkSync(path, aside);
  for (const end of ends) renameSync(`${path}${end}`, `${aside}${end}`);
  rmSync(`${path}-shm`, { force: true });
  syncFolder(path);
  return aside;
}
