import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { denied, failure, validation } from "@toolrig/core";
import { type Folder, openFolder } from "../confine/folder.ts";
import { type OpenFile, openFile, openNamed } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import type { Roots } from "../confine/roots.ts";

/** What is copied to be read together with its log, in bytes. */
const MAX_COPY = 256 * 1024 * 1024;

/** A database and, where it has changes in a log of its own, that log and a private folder for a copy of both. */
export interface OpenDatabase {
  readonly file: OpenFile;
  readonly log?: { readonly file: OpenFile; readonly copyTo: string };
}

/**
 * Opens a database for `use`. SQLite finds what lies beside a database by its path, which may lead elsewhere by then, and
 * makes files there: so it is never let. What is beside the file is opened here, in the folder that was checked.
 */
export async function withDatabase<Result>(
  roots: Roots,
  path: string,
  use: (database: OpenDatabase) => Promise<Result>,
): Promise<Result> {
  const file = await openFile(roots, path);
  const closing: (() => Promise<void>)[] = [() => file.handle.close()];
  try {
    const folder = await openFolder(roots, dirname(file.real));
    closing.push(() => folder.close());
    const { dev, ino } = await lstat(folder.at(basename(file.real)));
    if (dev !== file.stat.dev || ino !== file.stat.ino)
      throw denied(`${shownPath(file.shown)} was replaced while it was opened.`);
    await checkJournal(roots, folder, file);
    const log = await beside(roots, folder, file, "-wal");
    if (log !== undefined) closing.push(() => log.handle.close());
    if (log === undefined || log.stat.size === 0) return await use({ file });
    if (file.stat.size + log.stat.size > MAX_COPY)
      throw validation(
        `${shownPath(file.shown)} has changes in its -wal, and with them more than the ${MAX_COPY} bytes that are copied to be read. ` +
          "Have its owner run PRAGMA wal_checkpoint(TRUNCATE).",
      );
    const copyTo = await mkdtemp(join(tmpdir(), "toolrig-query-"));
    closing.push(() => rm(copyTo, { recursive: true, force: true, maxRetries: 5 }));
    return await use({ file, log: { file: log, copyTo } });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** A journal that begins with a NUL is one that was done with. */
async function checkJournal(roots: Roots, folder: Folder, file: OpenFile): Promise<void> {
  const journal = await beside(roots, folder, file, "-journal");
  if (journal === undefined) return;
  try {
    const { buffer, bytesRead } = await journal.handle.read(Buffer.alloc(1), 0, 1, 0);
    if (bytesRead === 1 && buffer[0] !== 0)
      throw failure(
        `${shownPath(file.shown)} is being changed, or a change was cut off: its -journal is there. Try again later.`,
      );
  } finally {
    await journal.handle.close();
  }
}

function beside(
  roots: Roots,
  folder: Folder,
  { real, shown }: OpenFile,
  suffix: string,
): Promise<OpenFile | undefined> {
  const place = { absolute: real + suffix, shown: shown + suffix };
  return openNamed(roots, folder.at(basename(real) + suffix), place);
}
