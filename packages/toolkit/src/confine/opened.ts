import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { denied, type ToolFailure, validation } from "@toolrig/core";
import { shownPath } from "./path-text.ts";
import type { Place, Roots } from "./roots.ts";
import { errorCode, fileFailure } from "./system-error.ts";

/** Names a file without opening it: no device is touched, no pipe is woken, nothing blocks. Not in Node's table. */
export const O_PATH = 0o10000000;
const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;
const READ = O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOCTTY ?? 0);

/** The file behind a descriptor as a path: what is opened under it is that file, whatever its name means by now. */
export function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** A descriptor of something inside the roots, at the moment when it was checked. */
export interface Held {
  readonly handle: FileHandle;
  readonly real: string;
  readonly stat: Stats;
}

/** An open regular file in a root. Who opened it closes `handle`. */
export interface OpenFile extends Held {
  readonly shown: string;
}

/**
 * Opens a regular file for reading. Links are followed as long as they lead to somewhere in the roots, which is checked on
 * what was opened. Throws a failure for everything else; pipes, devices and sockets are not even opened.
 */
export async function openFile(roots: Roots, path: string): Promise<OpenFile> {
  const place = roots.place(path);
  const held = await hold(roots, place);
  if (roots.strength === "paths") return { ...checkedFile(held, place), shown: place.shown };
  try {
    checkedFile(held, place);
    const handle = await open(descriptorPath(held.handle.fd), READ);
    return { ...held, handle, shown: place.shown };
  } catch (error) {
    throw fileFailure(error, place.shown);
  } finally {
    await held.handle.close();
  }
}

/**
 * Opens the regular file that an entry of a held folder is. Undefined when there is nothing; throws a failure for anything
 * else, links included.
 */
export async function openNamed(roots: Roots, at: string, place: Place): Promise<OpenFile | undefined> {
  const found = { shown: place.shown, real: place.absolute };
  try {
    if (roots.strength === "paths") {
      checkedFile({ real: at, stat: await lstat(at) }, place);
      const handle = await open(at, READ | (O_NOFOLLOW ?? 0));
      return { ...found, handle, stat: await handle.stat() };
    }
    const held = await open(at, O_PATH | O_NOFOLLOW);
    try {
      const { stat } = checkedFile({ real: at, stat: await held.stat() }, place);
      return { ...found, stat, handle: await open(descriptorPath(held.fd), READ) };
    } finally {
      await held.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileFailure(error, place.shown);
  }
}

/** A descriptor of what is at a place, whatever it is: good for looking, and for opening it from there. */
export async function hold(roots: Roots, place: Place, flags = 0): Promise<Held> {
  try {
    return roots.strength === "descriptors"
      ? await holdByDescriptor(roots, place, flags)
      : await holdByPath(roots, place, flags);
  } catch (error) {
    throw (await leadsOutside(roots, place)) ?? fileFailure(error, place.shown);
  }
}

/** How often a file that is replaced at the same moment is tried again. */
const TRIES = 500;

async function holdByDescriptor(roots: Roots, place: Place, flags: number): Promise<Held> {
  for (let tries = 0; tries < TRIES; tries++) {
    const held = await holdOnce(roots, place, flags);
    if (held !== undefined) return held;
  }
  throw denied(
    `${shownPath(place.shown)} is not what its path leads to: it was replaced, or is of another mount namespace.`,
  );
}

/** Undefined when the path that the descriptor has means something else: such as in a container that a link leads into. */
async function holdOnce(roots: Roots, place: Place, flags: number): Promise<Held | undefined> {
  const handle = await open(place.absolute, O_PATH | flags);
  try {
    const real = await readlink(descriptorPath(handle.fd));
    if (!roots.contains(real)) throw roots.outside(place.shown);
    const [stat, there] = await Promise.all([handle.stat(), lstat(real).catch(() => undefined)]);
    if (there?.dev === stat.dev && there.ino === stat.ino) return { handle, real, stat };
    await handle.close();
    return undefined;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function holdByPath(roots: Roots, place: Place, flags: number): Promise<Held> {
  const real = await realpath(place.absolute);
  if (!roots.contains(real)) throw roots.outside(place.shown);
  const seen = await lstat(real);
  if (!seen.isDirectory()) checkedFile({ real, stat: seen }, place);
  const handle = await open(real, READ | flags | (O_NOFOLLOW ?? 0));
  try {
    const stat = await handle.stat();
    const same = stat.ino === seen.ino && stat.dev === seen.dev && (await realpath(place.absolute)) === real;
    if (!same) throw denied(`${shownPath(place.shown)} was replaced while it was opened.`);
    return { handle, real, stat };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Passes on a regular file. Throws a failure that says what it is instead. */
function checkedFile<Seen extends Pick<Held, "stat" | "real">>(
  seen: Seen,
  { shown }: { shown: string },
): Seen {
  const { stat } = seen;
  if (stat.isFile()) return seen;
  const path = shownPath(shown);
  if (stat.isDirectory()) throw validation(`${path} is a folder; list_dir shows what is in it.`);
  throw denied(`${path} is ${kindOf(stat)}, and only regular files are read or written.`);
}

export function kindOf(stat: Stats): string {
  if (stat.isSymbolicLink()) return "a link";
  if (stat.isFIFO()) return "a pipe";
  if (stat.isSocket()) return "a socket";
  if (stat.isDirectory()) return "a folder";
  return stat.isFile() ? "a file" : "a device";
}

/**
 * Why a path that could not be opened is refused, where a link on the way leads outside: what is there, or is not, must
 * not show in the answer.
 */
async function leadsOutside(roots: Roots, { absolute, shown }: Place): Promise<ToolFailure | undefined> {
  const root = roots.rootOf(absolute);
  for (let at = absolute; at.length > root.length; at = dirname(at)) {
    const stat = await lstat(at).catch(() => undefined);
    if (stat === undefined) continue;
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined && roots.contains(real)) return undefined;
    return denied(`${shownPath(shown)} is or passes a link that leads to nothing in the roots.`);
  }
  return undefined;
}
