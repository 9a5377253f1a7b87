import { unavailable } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import { bubblewrapArgs, type Visible } from "./bubblewrap.ts";
import { findExecutable } from "./executable.ts";
import type { End } from "./helper/messages.ts";
import { isWithin } from "./helper/working-directory.ts";
import { outputText } from "./output-text.ts";
import { spawner } from "./spawner.ts";

/** How well a command is kept apart from everything else: what this machine gives, not what was wished for. */
export interface Isolation {
  /** "namespaces": bubblewrap holds it. "limits": only its use of resources is limited. "none": neither. */
  level: "namespaces" | "limits" | "none";
  /** "private" is a network without anybody else. */
  network: "private" | "host";
  /** "root": it may write to the roots alone, and sees no home. "host": all that the user of this process may. */
  files: "root" | "host";
  /** How what it starts is found and ended: all of it, all but what hides on purpose, or its group. */
  processes: "namespace" | "marks" | "group";
  limits: "prlimit" | "none";
  /** Why it is not more. */
  missing: readonly string[];
}

export type SandboxMode = "auto" | "required" | "off";

/** The programs that keep commands apart, where they are there and work. */
export interface Isolators {
  bwrap: string | undefined;
  prlimit: string | undefined;
  missing: readonly string[];
}

const PROBE_MS = 20_000;
/** What the system says when it has no room at the moment. */
const PASSING = /temporarily unavailable|cannot allocate memory|no space left/i;

const AS_ROOT =
  "it is run by root: commands read all files of the system but those in homes, and their number of processes is watched and not limited";

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Rejects with a failure if it cannot be told whether there is a sandbox: a machine that is busy must not be a reason to do
 * without one.
 */
export async function findIsolators(mode: SandboxMode, where: Visible): Promise<Isolators> {
  const missing: string[] = [];
  const prlimit = findOutside("prlimit", where);
  if (prlimit === undefined) missing.push("prlimit is not installed");
  if (mode === "off") return { bwrap: undefined, prlimit, missing: [...missing, "sandbox is off"] };
  const bwrap = findOutside("bwrap", where);
  if (bwrap === undefined)
    return { bwrap, prlimit, missing: [...missing, "bubblewrap (bwrap) is not installed"] };
  const problem = await problemWith(bwrap, where);
  if (problem === undefined) return { bwrap, prlimit, missing: [...missing, ...(isRoot() ? [AS_ROOT] : [])] };
  return { bwrap: undefined, prlimit, missing: [...missing, `bubblewrap does not work here: ${problem}`] };
}

/** Not one that a command may have put there: directories of a project are often on PATH. */
function findOutside(command: string, { roots }: Visible): string | undefined {
  const inner = roots.filter((root) => root !== "/");
  return findExecutable(command, undefined, (file) => !inner.some((root) => isWithin(file, root)));
}

/** Why it cannot be used, found out by using it: namespaces may be forbidden, and nothing else tells. */
async function problemWith(bwrap: string, where: Visible): Promise<string | undefined> {
  const target = findOutside("true", where);
  if (target === undefined) return "there is no program to try it with";
  const { end, told } = await tried(bwrap, target, where).catch((error: Error) => {
    throw cannotSay(error.message);
  });
  if (end.exitCode === 0) return undefined;
  if (end.stopped !== undefined) throw cannotSay("there was no answer in time");
  if (PASSING.test(told)) throw cannotSay(told);
  return told || `it ended with exit code ${end.exitCode}`;
}

function cannotSay(why: string) {
  return unavailable(`Whether commands can be kept in a sandbox could not be found out: ${why}.`);
}

async function tried(bwrap: string, target: string, where: Visible): Promise<{ end: End; told: string }> {
  const id = newId("probe");
  const [root = "/"] = where.roots;
  const probe = await spawner.start(
    {
      id,
      file: bwrap,
      args: [...bubblewrapArgs(where, root, false), target],
      cwd: root,
      roots: where.roots,
      env: {},
      stdin: "none",
      keep: { head: 2_000, tail: 0 },
      timeoutMs: PROBE_MS,
      graceMs: 0,
      mark: { id, tag: undefined, namespaced: true },
      maxProcesses: undefined,
    },
    { hold: true },
  );
  const end = await probe.ended;
  const [, errors] = await probe.read([0, 0]);
  probe.forget();
  return { end, told: outputText(errors).trim() };
}

export function isolationOf({ bwrap, prlimit, missing }: Isolators, network: boolean): Isolation {
  const namespaces = bwrap !== undefined;
  const marks = process.platform === "linux" ? "marks" : "group";
  return {
    level: namespaces ? "namespaces" : prlimit === undefined ? "none" : "limits",
    network: namespaces && !network ? "private" : "host",
    files: namespaces ? "root" : "host",
    processes: namespaces ? "namespace" : marks,
    limits: prlimit === undefined ? "none" : "prlimit",
    missing,
  };
}
