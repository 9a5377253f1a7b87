import { constants, readlinkSync, realpathSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { denied, validation } from "@toolrig/core";
import { descriptorPath, hold, kindOf, O_PATH } from "./opened.ts";
import { checkNewName, shownPath } from "./path-text.ts";
import type { Place, Roots } from "./roots.ts";
import { errorCode, fileFailure } from "./system-error.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW;

/**
 * A folder in a root that stays the same one while it is held, whatever happens to its path. What is done to `at(name)` is
 * done in that folder. Who opened it closes it.
 */
export class Folder {
  readonly real: string;
  readonly #handle: FileHandle | undefined;

  constructor(real: string, handle: FileHandle | undefined) {
    this.real = real;
    this.#handle = handle;
  }

  /** A path for calls of the system: of the folder, or of a name in it. */
  at(name?: string): string {
    const folder = this.#handle === undefined ? this.real : descriptorPath(this.#handle.fd);
    return name === undefined ? `${folder}/.` : `${folder}/${name}`;
  }

  /** Throws a failure when it is no longer where it was: right before something is changed in it, without waiting between. */
  confirm(): void {
    const now =
      this.#handle === undefined ? realpathSync(this.real) : readlinkSync(descriptorPath(this.#handle.fd));
    if (now !== this.real) throw denied("The folder was moved while the call was under way.");
  }

  /** Makes what was done to names in it survive a crash. */
  async sync(): Promise<void> {
    const handle = await open(this.at(), O_RDONLY | O_DIRECTORY);
    try {
      await handle.sync();
    } catch (error) {
      // Some file systems cannot: there is nothing more to be done.
      if (errorCode(error) !== "EINVAL") throw error;
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

/** A folder for reading. Links to it are followed inside the roots. Throws a failure for what is none. */
export async function openFolder(roots: Roots, path: string): Promise<Folder> {
  const place = roots.place(path);
  const { handle, real, stat } = await hold(roots, place);
  if (stat.isDirectory() && roots.strength === "descriptors") return new Folder(real, handle);
  await handle.close();
  if (stat.isDirectory()) return new Folder(real, undefined);
  throw validation(`${shownPath(place.shown)} is ${kindOf(stat)}, not a folder.`);
}

/** A name in a folder that is held. */
export interface Entry {
  readonly folder: Folder;
  readonly name: string;
  readonly place: Place;
  /** Folders that were made on the way, as they are shown. */
  readonly made: readonly string[];
}

export interface EntryOptions {
  /** Make folders that are missing. Default false. */
  make?: boolean;
  /** Go on where the name itself is a link to a place in the roots. Default false: the name is the link. */
  follow?: boolean;
  /** Throws for a place that may not be changed: asked when it is known where the path leads, before anything is made. */
  judge?(place: Place): void;
}

/**
 * The entry that a path names, for changing it. Links are resolved once, and then every folder from the root on is opened
 * by its name in the one before, following nothing: a link that was swapped in meanwhile ends the walk.
 */
export async function openEntry(
  roots: Roots,
  path: string,
  { make = false, follow = false, judge }: EntryOptions = {},
): Promise<Entry> {
  const asked = roots.place(path);
  if (roots.holdsRoot(asked.absolute))
    throw denied(`${shownPath(asked.shown)} is a root itself or holds one, and stays as it is.`);
  const absolute = await resolved(roots, asked, follow);
  const place = { absolute, shown: roots.shown(absolute) };
  const root = roots.rootOf(absolute);
  if (roots.holdsRoot(absolute))
    throw denied(
      `${shownPath(asked.shown)} leads to a root itself or to what holds one, and stays as it is.`,
    );
  judge?.(place);
  const walk = await walkTo(roots, root, dirname(absolute), make).catch((error: unknown) => {
    throw fileFailure(error, asked.shown);
  });
  return { ...walk, name: basename(absolute), place };
}

/** The path without links on the way. What does not exist yet is taken as it is written. */
async function resolved(roots: Roots, { absolute, shown }: Place, follow: boolean): Promise<string> {
  const self = follow ? await lstat(absolute).catch(() => undefined) : undefined;
  const real = self?.isSymbolicLink() ? await realpath(absolute).catch(() => "") : await realParent(absolute);
  if (!roots.contains(real)) throw roots.outside(shown);
  return real;
}

/** The real path of the nearest folder above that exists, with the rest as it is written. */
async function realParent(absolute: string): Promise<string> {
  const parent = dirname(absolute);
  for (let at = parent; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, relative(at, absolute));
    // What is there and has no real path is a link to nowhere: anything could be made to appear behind it.
    if (at === dirname(at) || (await lstat(at).catch(() => undefined)) !== undefined) return "";
  }
}

async function walkTo(
  roots: Roots,
  root: string,
  target: string,
  make: boolean,
): Promise<{ folder: Folder; made: string[] }> {
  const made: string[] = [];
  let folder = await stepInto(roots, root, root);
  try {
    for (const name of relative(root, target).split(sep).filter(Boolean)) {
      const real = join(folder.real, name);
      const next = await stepInto(roots, folder.at(name), real).catch(async (error: unknown) => {
        if (!make || errorCode(error) !== "ENOENT") throw error;
        if (await makeFolder(folder, name)) made.push(roots.shown(real));
        return stepInto(roots, folder.at(name), real);
      });
      await folder.close();
      folder = next;
    }
    folder.confirm();
    return { folder, made };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function stepInto(roots: Roots, at: string, real: string): Promise<Folder> {
  try {
    if (roots.strength === "descriptors") return new Folder(real, await open(at, STEP));
    if ((await lstat(at)).isDirectory()) return new Folder(real, undefined);
    throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  } catch (error) {
    const stat = errorCode(error) === "ENOTDIR" ? await lstat(at).catch(() => undefined) : undefined;
    if (stat?.isSymbolicLink())
      throw denied(`${shownPath(roots.shown(real))} became a link while the call was under way.`);
    throw error;
  }
}

/** False when somebody else was faster. */
async function makeFolder(folder: Folder, name: string): Promise<boolean> {
  checkNewName(name);
  try {
    await mkdir(folder.at(name));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
