import { randomBytes } from "node:crypto";
import { closeSync, constants, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { access, type FileHandle, open, unlink } from "node:fs/promises";
import type { Entry, Folder } from "../confine/folder.ts";
import { errorCode, fileFailure } from "../confine/system-error.ts";
import { type Current, checkUnchanged } from "./current.ts";
import { contentState } from "./read-marks.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
/** Of files that are new, before the process's umask. */
const NEW_FILE = 0o666;

/**
 * Puts content in the place of an entry, all of it or nothing: it is written to a file of its own in the same folder and
 * then renamed. What other names the old file has keep the old content. Throws a failure when the entry is not as it was
 * `seen`, or may not be written to. `done` is called at the moment when the change is made. Returns the state of the new content.
 */
export async function replaceFile(
  entry: Entry,
  content: Uint8Array,
  { seen, signal, done }: { seen: Current | undefined; signal: AbortSignal; done: () => void },
): Promise<string> {
  const { folder, name, place } = entry;
  const temporary = `.toolrig-${randomBytes(9).toString("hex")}.tmp`;
  let left = false;
  let state: string;
  try {
    // A rename asks only the folder: who may not write to the file does not replace it either.
    if (seen !== undefined) await access(folder.at(name), constants.W_OK);
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const handle = await open(folder.at(temporary), flags, seen === undefined ? NEW_FILE : 0o600);
    left = true;
    try {
      await handle.writeFile(content, { signal });
      if (seen !== undefined) await keepRights(handle, seen);
      await handle.sync();
      state = contentState(await handle.stat());
    } finally {
      await handle.close();
    }
    signal.throwIfAborted();
    checkUnchanged(entry, seen);
    if (seen === undefined) nameNew(folder, temporary, folder, name);
    else renameSync(folder.at(temporary), folder.at(name));
    left = false;
    done();
    await folder.sync();
    return state;
  } catch (error) {
    if (left) await unlink(folder.at(temporary)).catch(() => {});
    signal.throwIfAborted();
    throw fileFailure(error, place.shown);
  }
}

/** Only root can give a file to somebody else; the mode comes last, because a new owner takes set-id bits away. */
async function keepRights(handle: FileHandle, { mode, owner }: Current): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== owner.uid || gid !== owner.gid) await handle.chown(owner.uid, owner.gid).catch(() => {});
  await handle.chmod(mode);
}

/** Gives a file another name, which nothing has: `EEXIST` if something does. */
export function nameNew(from: Folder, name: string, to: Folder, newName: string): void {
  try {
    linkSync(from.at(name), to.at(newName));
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
    // No hard links here: the name is taken with an empty file, which is then replaced.
    closeSync(openSync(to.at(newName), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
    renameSync(from.at(name), to.at(newName));
    return;
  }
  unlinkSync(from.at(name));
}
