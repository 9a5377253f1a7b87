import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/**
 * What stands around the code besides the engine: a `process` of its own, Node's `permission` model in it (no files but the
 * engine's, no processes, no addons), `prlimit` (memory, files, descriptors), `bubblewrap` (namespaces: no network, no other
 * process, no file but Node's and the engine's).
 */
export type Protection = "process" | "permission" | "prlimit" | "bubblewrap";

export interface Bounds {
  /** What can be seen of the file system, besides Node and the system's libraries. */
  readonly folders: readonly string[];
  /** Of memory. */
  readonly bytes: number;
}

const PROBE: Bounds = { folders: [], bytes: 1024 * 1024 * 1024 };
const PROBE_MS = 20_000;

let found: Promise<readonly Protection[]> | undefined;

/** What this machine offers, found out by using it: a program that is installed may still not be allowed to work. */
export function protectionsHere(): Promise<readonly Protection[]> {
  found ??= probe();
  return found;
}

async function probe(): Promise<readonly Protection[]> {
  const outer = (["prlimit", "bubblewrap"] as const).map(async (protection) =>
    (await works(protection)) ? [protection] : [],
  );
  return ["process", "permission", ...(await Promise.all(outer)).flat()];
}

async function works(protection: Protection): Promise<boolean> {
  const [command = "", ...args] = wrapped([process.execPath, "--version"], [protection], PROBE);
  return await promisify(execFile)(command, args, { env: {}, timeout: PROBE_MS }).then(
    () => true,
    () => false,
  );
}

/** A command within those of the protections that are programs. */
export function wrapped(
  command: readonly string[],
  protections: readonly Protection[],
  bounds: Bounds,
): readonly string[] {
  const inner = protections.includes("bubblewrap") ? [...bubblewrap(bounds), ...command] : command;
  return protections.includes("prlimit") ? [...prlimit(bounds), ...inner] : inner;
}

function prlimit({ bytes }: Bounds): string[] {
  return [inPath("prlimit"), `--data=${bytes}`, "--fsize=0", "--nofile=256", "--core=0", "--"];
}

function bubblewrap({ folders }: Bounds): string[] {
  const seen = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", process.execPath, ...folders];
  return [
    inPath("bwrap"),
    ...[
      "--unshare-user-try",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
      "--unshare-net",
    ],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...seen.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--chdir", "/", "--"],
  ];
}

/** The name itself where it is nowhere: it is then told that it cannot be started. */
function inPath(name: string): string {
  const files = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return files.find(isExecutable) ?? name;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
