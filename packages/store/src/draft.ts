import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { newId } from "@toolrig/core/kit";

/** The files that SQLite may leave beside a file. */
const ENDS = ["", "-wal", "-shm", "-journal"];

/**
 * The name under which a file is made before it gets its own. No other attempt has the same name: one that shared it would put the
 * unfinished file of another one in place. Removes drafts that processes left which have ended.
 */
export function draftOf(path: string, state: "unfinished" | "restoring"): string {
  const prefix = `${path}.${state}-`;
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(basename(prefix))) continue;
    const pid = Number.parseInt(name.slice(basename(prefix).length), 10);
    if (pid > 0 && !isRunning(pid)) rmSync(join(dirname(path), name), { force: true });
  }
  return `${prefix}${process.pid}-${newId("draft")}`;
}

export function removeDraft(draft: string): void {
  for (const end of ENDS) rmSync(`${draft}${end}`, { force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // What is wrong with the folder shows when the draft is made.
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
