import { closeSync, constants, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Folder } from "../confine/folder.ts";
import { descriptorPath, O_PATH } from "../confine/opened.ts";
import type { Roots } from "../confine/roots.ts";

const { O_DIRECTORY, O_NOFOLLOW } = constants;
const STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW;
/** Folders in folders. One descriptor is held for each. */
const MAX_DEPTH = 200;
/** Files that are handed out at once: whoever looks at each may take a while. */
const RUN = 256;
/** How long the event loop is kept at most, in ms. */
const TURN = 10;

/** Regular files that a walk has come by, one after the other in one folder. */
export interface Walked {
  /** The folder, relative to where the walk began, with "/" at its end. */
  readonly prefix: string;
  /** The folder for calls of the system, until the walk goes on. */
  readonly base: string;
  readonly names: readonly string[];
}

export interface WalkOptions {
  /** Called with the path, for calls of the system, of every folder that is entered. */
  readonly onFolder?: (at: string) => void;
  /** Names of folders that are passed by. */
  readonly skip: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** A folder on the way down. */
interface Frame {
  readonly real: string;
  readonly base: string;
  readonly prefix: string;
  /** Runs of files, and the names of folders. */
  readonly parts: readonly (readonly string[] | string)[];
  next: number;
  close(): void;
}

/**
 * Every regular file below a folder, in the order of their paths. No link is followed: each folder is opened by its name in
 * the one before, so that one swapped in meanwhile is not entered. What is
 * the kernel's own is passed by. `onSkipped` hears of folders that could not be.
 * Folders are read synchronously, which is what makes it as fast as `find`; the event loop gets its turns in between.
 */
export async function* walk(
  roots: Roots,
  folder: Folder,
  { skip, signal, onFolder }: WalkOptions,
  onSkipped: (path: string) => void = () => {},
): AsyncGenerator<Walked, void, undefined> {
  const open: Frame[] = [frameOf({ real: folder.real, base: folder.at(), prefix: "" }, () => {})];
  let turn = performance.now();
  onFolder?.(folder.at());
  try {
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      const part = frame.parts[frame.next];
      frame.next += 1;
      if (part === undefined) {
        open.pop();
        frame.close();
      } else if (typeof part !== "string") {
        yield { prefix: frame.prefix, base: frame.base, names: part };
      } else if (!skip.has(part) && roots.contains(join(frame.real, part))) {
        const inside = open.length < MAX_DEPTH ? enter(roots, frame, part) : undefined;
        if (inside === undefined) onSkipped(frame.prefix + part);
        else {
          open.push(inside);
          onFolder?.(inside.base);
        }
      }
      if (performance.now() - turn < TURN) continue;
      await setImmediate();
      signal.throwIfAborted();
      turn = performance.now();
    }
  } finally {
    for (const frame of open) frame.close();
  }
}

/** Undefined for what cannot be read, or is a folder no longer. */
function enter(roots: Roots, frame: Frame, name: string): Frame | undefined {
  const at = `${frame.base}/${name}`;
  const inside = { real: join(frame.real, name), prefix: `${frame.prefix}${name}/` };
  let fd: number | undefined;
  try {
    if (roots.strength === "paths") return frameOf({ ...inside, base: at }, () => {});
    fd = openSync(at, STEP);
    const opened = fd;
    return frameOf({ ...inside, base: descriptorPath(opened) }, () => closeSync(opened));
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

function frameOf(folder: Pick<Frame, "real" | "base" | "prefix">, close: () => void): Frame {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of readdirSync(folder.base, { withFileTypes: true })) {
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isDirectory()) folders.push(entry.name);
  }
  return { ...folder, parts: inOrder(files.sort(), folders), next: 0, close };
}

/** In the order of whole paths: what is in a folder comes where its name with "/" does. */
function inOrder(files: readonly string[], folders: readonly string[]): (readonly string[] | string)[] {
  const parts: (readonly string[] | string)[] = [];
  let from = 0;
  const addFiles = (to: number) => {
    for (; from < to; from += RUN) parts.push(files.slice(from, Math.min(to, from + RUN)));
    from = to;
  };
  for (const key of folders.map((name) => `${name}/`).sort()) {
    let to = from;
    while (to < files.length && (files[to] ?? "") < key) to += 1;
    addFiles(to);
    parts.push(key.slice(0, -1));
  }
  addFiles(files.length);
  return parts;
}
