/** Finds a program that tests run, or installs Debian's. */
import { execFileSync } from "node:child_process";

export interface Program {
  /** Possible names, the likeliest first. A name with a slash is a path. */
  names: readonly [string, ...string[]];
  /** The environment variable that names another one, where there is one. */
  variable?: string;
  /** Debian's package. */
  debian: string;
  /** The part that needs it, as the subject of a sentence. */
  neededBy: string;
}

const TIMEOUT_MS = 600_000;

/**
 * The path of a usable program: the one that its variable names where that is set; else the first on the PATH; else that of Debian's
 * package, installed with apt where this user may. Throws with what to do when there is none.
 */
export function findProgram({ names, variable, debian, neededBy }: Program): string {
  const chosen = process.env[variable ?? ""] ?? "";
  if (chosen !== "") {
    const path = usable(chosen);
    if (path !== undefined) return path;
    throw new Error(`${variable} is ${chosen}, which does not run here.`);
  }
  const installed = firstUsable(names);
  if (installed !== undefined) return installed;
  console.error(`No ${names[0]} found; installing Debian's package ${debian} …`);
  const problem = problemInstalling(debian);
  const fetched = firstUsable(names);
  if (fetched !== undefined) return fetched;
  throw new Error(
    `${neededBy} need ${names[0]}, and it could not be installed (${problem}). ` +
      `Install it (apt-get install ${debian})${variable === undefined ? "" : ` or set ${variable} to its path`}.`,
  );
}

function problemInstalling(debian: string): string {
  const run = (args: string[]) =>
    execFileSync("apt-get", args, {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TIMEOUT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  try {
    run(["update"]);
    run(["install", "--yes", "--no-install-recommends", debian]);
    return `the package ${debian} installed nothing that runs here`;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
}

function firstUsable(names: readonly string[]): string | undefined {
  for (const name of names) {
    const path = usable(name);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The whole path of a program that runs. */
function usable(name: string): string | undefined {
  try {
    const path = name.includes("/") ? name : read("which", name);
    return /\d+\.\d+/.test(read(path, "--version")) ? path : undefined;
  } catch {
    return undefined;
  }
}

function read(command: string, argument: string): string {
  return execFileSync(command, [argument], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
