import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { denied, validation } from "@toolrig/core";
import type { Entry } from "../confine/folder.ts";
import { openNamed } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import type { Roots } from "../confine/roots.ts";
import { fileFailure } from "../confine/system-error.ts";
import { contentState } from "./read-marks.ts";

/** A file as it was found before a change. */
export interface Current {
  /** Undefined for a file that is too large to be hashed on the way. */
  readonly sha256: string | undefined;
  readonly bytes: number;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** How many other names it has. */
  readonly otherNames: number;
  /** The content, for files up to the limit that was given. */
  readonly content: Buffer | undefined;
  /** Which file it is, in which state. */
  readonly identity: string;
  /** Which content it has: the same as long as nobody writes to it. */
  readonly state: string;
}

export interface LookOptions {
  /** Bytes up to which the content is kept. */
  readonly keep: number;
  readonly signal: AbortSignal;
  /** Hash the file however large it is. Default false: up to 256 MiB. */
  readonly hash?: boolean;
  /** Bytes above which the file is refused, before any of it is read. Default: none. */
  readonly atMost?: number;
}

const MAX_HASHED = 256 * 1024 * 1024;

const CHUNK = 262_144;

/** Reads and hashes the file that an entry is. Undefined when there is none. Throws a failure for one that is too large. */
export async function lookAt(
  roots: Roots,
  { folder, name, place }: Entry,
  { keep, signal, hash: always = false, atMost = Number.POSITIVE_INFINITY }: LookOptions,
): Promise<Current | undefined> {
  const file = await openNamed(roots, folder.at(name), place);
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  const { mode, uid, gid, nlink, size } = file.stat;
  const isHashed = always || size <= MAX_HASHED;
  let bytes = 0;
  try {
    if (size > atMost)
      throw validation(`${shownPath(place.shown)} has ${size} bytes; at most ${atMost} can be edited.`);
    while (isHashed) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await file.handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      bytes += bytesRead;
      if (bytes <= keep) kept.push(chunk);
    }
    return {
      sha256: isHashed ? hash.digest("hex") : undefined,
      bytes: isHashed ? bytes : size,
      mode: mode & 0o7777,
      owner: { uid, gid },
      otherNames: nlink - 1,
      content: isHashed && bytes <= keep ? Buffer.concat(kept) : undefined,
      identity: identityOf(file.stat),
      state: contentState(file.stat),
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
