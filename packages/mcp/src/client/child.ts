import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** A program at the other end of two pipes. */
export type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export interface ChildSpec {
  command: string;
  args: readonly string[];
  /** All of it: nothing of this process is passed on beside. */
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
}

const HAS_GROUPS = process.platform !== "win32";
/** How long a child has to end after its input ended, and again after it was asked to. */
const GRACE_MS = 2_000;
/** How long what it said to the end is read: somebody else may hold that pipe. */
const LAST_WORDS_MS = 200;

/** Starts a program in a group of its own, which ends with this process, however that ends. */
export function startChild({ command, args, env, cwd }: ChildSpec): Child {
  const child = spawn(command, args, {
    env,
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    shell: false,
    detached: HAS_GROUPS,
    windowsHide: true,
  });
  child.once("spawn", () => watchOver(child));
  return child;
}

/**
 * Ends a group when the pipe from its owner does without a word. A server sees the end of its input, too, and most go by
 * themselves; this is for those that do not, and for what they started.
 */
const WARDEN =
  'read -r word && exit 0; sleep 1; kill -TERM "-$1" 2>/dev/null; sleep 2; kill -KILL "-$1" 2>/dev/null';

function watchOver(child: Child): void {
  if (!HAS_GROUPS || child.pid === undefined) return;
  const warden = spawn("/bin/sh", ["-c", WARDEN, "toolrig-warden", String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    detached: true,
  });
  // Where there is no shell, the end of the input has to do.
  warden.on("error", () => {});
  warden.stdin.on("error", () => {});
  warden.unref();
  (warden.stdin as Writable & { unref?(): void }).unref?.();
  child.once("exit", () => warden.stdin.end("over\n"));
}

/** Ends a child: the end of its input, then SIGTERM, then SIGKILL, to it and what it started. Resolves when it has ended. */
export async function endChild(child: Child): Promise<void> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const exited = new Promise<void>((resolve) => {
    if (isOver()) resolve();
    else child.once("exit", () => resolve());
  });
  child.stdin.end();
  if (!(await within(exited, GRACE_MS))) {
    signalGroup(child, "SIGTERM");
    if (!(await within(exited, GRACE_MS))) signalGroup(child, "SIGKILL");
    await within(exited, GRACE_MS);
  }
  // What it left behind has no owner any more.
  signalGroup(child, "SIGKILL");
  await within(closed(child.stderr), LAST_WORDS_MS);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", () => resolve());
  });
}

function signalGroup({ pid }: Child, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal);
  } catch {
    // Nobody is left.
  }
}

async function within(ended: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([ended.then(() => true as const), late]);
  clearTimeout(timer);
  return inTime;
}
