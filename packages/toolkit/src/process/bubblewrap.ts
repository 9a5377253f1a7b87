import { lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { meansAny } from "@toolrig/core/kit";
import { isWithin } from "./helper/working-directory.ts";

export interface Visible {
  /** Where commands may write. */
  roots: readonly string[];
  /** What they may read although it lies in a hidden directory. */
  visible: readonly string[];
  /** Patterns of what they may not write to although it lies in a root. */
  protect: readonly string[];
}

/** Bytes of each directory in memory that stands in for a hidden one. */
const SCRATCH_BYTES = 256_000_000;

/** Where people keep secrets, and where the sockets of services are. Empty for a command, and gone when it ends. */
function hiddenFolders({ roots }: Visible): string[] {
  const folders = new Set([homedir(), "/root", "/home", "/tmp", "/var/tmp", "/run"]);
  return [...folders].filter(
    (folder) => folder !== "/" && isFolder(folder) && !roots.some((root) => isWithin(folder, root)),
  );
}

/** Whether a command can see a file. */
export function isVisible(file: string, where: Visible): boolean {
  const shown = [...where.roots, ...shownFolders(where)];
  if (shown.some((folder) => isWithin(file, folder))) return true;
  return !hiddenFolders(where).some((folder) => isWithin(file, folder));
}

/** What the owner names, and the installation of Node, which often lies in a home. */
function shownFolders({ visible }: Visible): string[] {
  const node = dirname(dirname(process.execPath));
  const tooMuch = ["/", homedir(), join(homedir(), ".local")];
  return tooMuch.includes(node) ? [...visible] : [...visible, node];
}

/**
 * A command in namespaces of its own: it sees no process but its own, no network unless it is given, no home, and may write
 * to the roots and to scratch directories that end with it. All of its processes end with the first.
 */
export function bubblewrapArgs(where: Visible, cwd: string, network: boolean): string[] {
  const { roots } = where;
  const scratch = (folder: string) => ["--size", String(SCRATCH_BYTES), "--tmpfs", folder];
  return [
    ...["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--info-fd", "3"],
    ...[roots.includes("/") ? "--bind" : "--ro-bind", "/", "/"],
    ...hiddenFolders(where).flatMap(scratch),
    ...shownFolders(where).flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...roots.filter((root) => root !== "/").flatMap((root) => ["--bind", root, root]),
    ...protectedEntries(where).flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--dev", "/dev", "--proc", "/proc"],
    ...(process.getuid?.() === 0 ? kernelSettings() : []).flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--chdir", cwd, "--"],
  ];
}

/**
 * What lies directly in a root and is protected, or is a folder whose content is. Bound, it can neither be written to nor moved
 * away. Links are not followed, and what lies deeper is not looked for.
 */
function protectedEntries({ roots, protect }: Visible): string[] {
  if (protect.length === 0) return [];
  // A root that is gone is told of when a command is to start in it.
  return roots.filter(isFolder).flatMap((root) =>
    readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isFile())
      .filter(({ name }) => meansAny(name, protect) || meansAny(`${name}/any`, protect))
      .map(({ name }) => join(root, name))
      .filter((path) => !roots.some((other) => isWithin(other, path))),
  );
}

/**
 * Where the kernel of the machine is set, which no namespace keeps apart: it lets its administrator write there, and root in a
 * sandbox is still root to it. Not for others: what covers parts of /proc keeps them from sandboxes within this one.
 */
function kernelSettings(): string[] {
  settings ??= [
    "/sys",
    ...readdirSync("/proc")
      .filter((name) => !/^\d+$/.test(name))
      .map((name) => join("/proc", name))
      .filter(isWritable),
  ];
  return settings;
}

let settings: string[] | undefined;

/** Directories, since something in them may be, and files; links lead to what is a process's own. */
function isWritable(path: string): boolean {
  try {
    const entry = lstatSync(path);
    return entry.isDirectory() || (entry.isFile() && (entry.mode & 0o222) !== 0);
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
