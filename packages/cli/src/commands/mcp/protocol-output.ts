import { spawnSync } from "node:child_process";
import { createWriteStream, existsSync, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Set in the process that has the streams as they are wanted. */
const VARIABLE = "TOOLRIG_PROTOCOL_OUTPUT";
const DESCRIPTOR = 3;
const SHELL = "/bin/sh";

/**
 * A stream to what standard output was when this process began, which nothing else of the process has: descriptor 1 is standard error, for
 * this process and for those that it starts. Node cannot duplicate descriptors, so the program starts itself once more with them exchanged,
 * before it has read the config. On POSIX that is the same process; elsewhere, and without a shell, a child of this one.
 */
export function protocolOutput(): Writable {
  if (process.env[VARIABLE] !== String(process.ppid)) startAgain();
  delete process.env[VARIABLE];
  const stats = fstatSync(DESCRIPTOR);
  if (stats.isFIFO() || stats.isSocket())
    return new Socket({ fd: DESCRIPTOR, readable: false, writable: true });
  return createWriteStream("", { fd: DESCRIPTOR });
}

function startAgain(): never {
  const args = [...process.execArgv, ...process.argv.slice(1)];
  if (process.platform !== "win32" && existsSync(SHELL)) {
    const env = { ...process.env, [VARIABLE]: String(process.ppid) };
    process.execve?.(SHELL, [SHELL, "-c", 'exec "$0" "$@" 3>&1 1>&2', process.execPath, ...args], env);
  }
  const env = { ...process.env, [VARIABLE]: String(process.pid) };
  const { status } = spawnSync(process.execPath, args, { stdio: [0, 2, 2, 1], env });
  process.exit(status ?? 1);
}
