import { lstat, rename } from "node:fs/promises";
import { denied, validation } from "@toolrig/core";
import type { Entry } from "../confine/folder.ts";
import { kindOf } from "../confine/opened.ts";
import { shownPath } from "../confine/path-text.ts";
import { errorCode, fileFailure } from "../confine/system-error.ts";
import { nameNew } from "./replace.ts";

/** What can be moved or deleted. A link is moved itself, never what it leads to. */
export type Kind = "file" | "folder" | "link";

/** What an entry is. Undefined for nothing; throws a failure for pipes, sockets and devices. */
export async function kindAt({ folder, name, place }: Entry): Promise<Kind | undefined> {
  const stat = await lstat(folder.at(name)).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileFailure(error, place.shown);
  });
  if (stat === undefined) return undefined;
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  throw denied(`${shownPath(place.shown)} is ${kindOf(stat)}, which these tools leave alone.`);
}

/** Moves an entry. What is at the new place is replaced only by `overwrite`, and a folder replaces nothing. */
export async function relocate(
  from: Entry,
  to: Entry,
  { kind, overwrite, done }: { kind: Kind; overwrite: boolean; done: () => void },
): Promise<void> {
  try {
    await from.folder.confirm();
    await to.folder.confirm();
    if (kind === "folder") {
      if ((await kindAt(to)) !== undefined) throw exists(to);
      await rename(from.folder.at(from.name), to.folder.at(to.name));
    } else if (overwrite) await rename(from.folder.at(from.name), to.folder.at(to.name));
    else await nameNew(from.folder, from.name, to.folder, to.name);
    done();
    await to.folder.sync();
    await from.folder.sync();
  } catch (error) {
    const isTaken = ["EEXIST", "EISDIR", "ENOTDIR", "ENOTEMPTY"].includes(errorCode(error) ?? "");
    throw isTaken ? exists(to) : fileFailure(error, from.place.shown);
  }
}

function exists({ place }: Entry) {
  return validation(`${shownPath(place.shown)} exists already, and is not replaced.`);
}
