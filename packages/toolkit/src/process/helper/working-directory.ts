import { closeSync, constants, openSync, readlinkSync, realpathSync } from "node:fs";
import { sep } from "node:path";

interface WorkingDirectory {
  /** What a process is started in. On Linux a name of the open directory itself: no link can be swapped in on the way. */
  path: string;
  /** Where that is, with all links followed. */
  real: string;
  close(): void;
}

/** Opens a directory and makes sure of what was opened: it lies in one of the roots. Throws, with a code, if it does not. */
export function openWorkingDirectory(path: string, roots: readonly string[]): WorkingDirectory {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const linux = process.platform === "linux";
    const real = linux ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(path);
    if (!roots.some((root) => isWithin(real, root))) {
      const error: NodeJS.ErrnoException = new Error(
        `${path} leads to ${real}, outside of ${roots.join(", ")}`,
      );
      error.code = "OUTSIDE";
      throw error;
    }
    return {
      path: linux ? `/proc/self/fd/${descriptor}` : real,
      real,
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
