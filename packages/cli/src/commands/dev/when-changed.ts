import { statSync, unwatchFile, watchFile } from "node:fs";
import { dirname, relative } from "node:path";

/** Files are looked at, not listened to: that also sees editors that put a new file in the place of the old one. */
const EVERY_MS = 200;
/** What is saved together is read together. */
const QUIET_MS = 100;

/** In epoch milliseconds; 0 for a file that is not there. */
export function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * `files` come with when they had last been changed. Resolves with those that changed since, once they have been quiet for a moment; with none when `signal` aborts. With `folders`, a
 * file that comes or goes beside them counts, too: what could not be read may be missing.
 */
export async function whenChanged(
  files: ReadonlyMap<string, number>,
  { folders, signal }: { folders: boolean; signal: AbortSignal },
): Promise<readonly string[]> {
  const changed = new Set<string>();
  const names = [...files.keys()];
  const watched = folders ? [...new Set([...names, ...names.map((file) => dirname(file))])] : names;
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    const change = (file: string) => {
      changed.add(relative("", file) || ".");
      clearTimeout(timer);
      timer = setTimeout(resolve, QUIET_MS);
    };
    for (const file of watched) watchFile(file, { interval: EVERY_MS }, () => change(file));
    // What was saved between its reading and now.
    for (const [file, mtimeMs] of files) if (changedAt(file) !== mtimeMs) change(file);
  });
  clearTimeout(timer);
  for (const file of watched) unwatchFile(file);
  return [...changed];
}
