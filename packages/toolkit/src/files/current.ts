import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { denied } from "@toolrig/core";
import type { Entry } from "../confine/folder.ts";
import { openNamed } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import type { Roots } from "../confine/roots.ts";
import { fileFailure } from "../confine/system-error.ts";

/** A file as it was found before a change. */
export interface Current {
  readonly sha256: string;
  readonly bytes: number;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** How many other names it has. */
  readonly otherNames: number;
  /** The content, for files up to the limit that was given. */
  readonly content: Buffer | undefined;
  /** Which file it is, in which state. */
  readonly identity: string;
}

const CHUNK = 262_144;

/** Reads and hashes the file that an entry is. Undefined when there is none. Keeps what is not longer than `keep` bytes. */
export async function lookAt(
  roots: Roots,
  { folder, name, place }: Entry,
  { keep, signal }: { keep: number; signal: AbortSignal },
): Promise<Current | undefined> {
  const file = await openNamed(roots, folder.at(name), place);
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await file.handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      bytes += bytesRead;
      if (bytes <= keep) kept.push(chunk);
    }
    const { mode, uid, gid, nlink } = file.stat;
    return {
      sha256: hash.digest("hex"),
      bytes,
      mode: mode & 0o7777,
      owner: { uid, gid },
      otherNames: nlink - 1,
      content: bytes <= keep ? Buffer.concat(kept) : undefined,
      identity: identityOf(file.stat),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw fileFailure(error, place.shown);
  } finally {
    await file.handle.close();
  }
}

/**
 * Throws a failure when an entry is no longer the file, or the nothing, that was looked at. What follows without waiting is
 * done to what was checked, but for other processes that are quicker.
 */
export function checkUnchanged({ folder, name, place }: Entry, seen: Current | undefined): void {
  folder.confirm();
  const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if ((stat === undefined ? undefined : identityOf(stat)) === seen?.identity) return;
  throw denied(`${shownPath(place.shown)} was changed by somebody else meanwhile; read it again.`);
}

function identityOf(stat: {
  dev: number;
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}): string {
  return [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(":");
}
