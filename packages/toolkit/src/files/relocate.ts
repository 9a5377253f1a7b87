import { lstatSync, renameSync, unlinkSync } from "node:fs";
import { denied, validation } from "@toolrig/core";
import type { Entry } from "../confine/folder.ts";
import { kindOf } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import { errorCode, fileFailure } from "../confine/system-error.ts";
import { type Current, checkUnchanged } from "./current.ts";
import { nameNew } from "./replace.ts";

/** What can be moved or deleted. A link is moved itself, never what it leads to. */
export type Kind = "file" | "folder" | "link";

/** What an entry is. Undefined for nothing; throws a failure for pipes, sockets and devices. */
export function kindAt({ folder, name, place }: Entry): Kind | undefined {
  const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  throw denied(`${shownPath(place.shown)} is ${kindOf(stat)}, which these tools leave alone.`);
}

export interface Relocation {
  readonly kind: Kind;
  /** A file as it was looked at: another one is not moved in its place. */
  readonly seen: Current | undefined;
  /** What is replaced: a file as it was looked at, or a link. Nothing else is, and nothing without it. */
  readonly replaces?: Current | "link" | undefined;
  /** Called at the moment when the change is made. */
  done(): void;
}

/** Moves an entry. What is at the new place is replaced only where `replaces` says so, and a folder replaces nothing. */
export async function relocate(
  from: Entry,
  to: Entry,
  { kind, seen, replaces, done }: Relocation,
): Promise<void> {
  try {
    from.folder.confirm();
    to.folder.confirm();
    if (seen !== undefined) checkUnchanged(from, seen);
    if (kind === "folder") {
      if (kindAt(to) !== undefined) throw exists(to);
      renameSync(from.folder.at(from.name), to.folder.at(to.name));
    } else if (replaces !== undefined) replace(from, to, replaces);
    else nameNew(from.folder, from.name, to.folder, to.name);
    done();
    await to.folder.sync();
    await from.folder.sync();
  } catch (error) {
    const isTaken = ["EEXIST", "EISDIR", "ENOTDIR", "ENOTEMPTY"].includes(errorCode(error) ?? "");
    throw isTaken ? exists(to) : fileFailure(error, from.place.shown);
  }
}

function replace(from: Entry, to: Entry, replaces: Current | "link"): void {
  if (replaces !== "link") checkUnchanged(to, replaces);
  else if (kindAt(to) !== "link") throw exists(to);
  renameSync(from.folder.at(from.name), to.folder.at(to.name));
  // Two names of one file: the system leaves both.
  if (isSame(from, to)) unlinkSync(from.folder.at(from.name));
}

function isSame(one: Entry, other: Entry): boolean {
  const [a, b] = [one, other].map(({ folder, name }) =>
    lstatSync(folder.at(name), { throwIfNoEntry: false, bigint: true }),
  );
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

function exists({ place }: Entry) {
  return validation(`${shownPath(place.shown)} exists already, and is not replaced.`);
}
