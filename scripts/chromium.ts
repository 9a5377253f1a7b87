/**
 * Finds a chromium for the console's tests, or gets one. Takes CHROMIUM where it is set; else looks at the PATH; else
 * installs Debian's with apt, where this user may.
 */
import { execFileSync } from "node:child_process";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "/usr/bin/chromium"];

/** The path of a usable browser. Throws with what to do when there is none and none can be had. */
export function findChromium(): string {
  const chosen = process.env.CHROMIUM ?? "";
  if (chosen !== "") {
    const path = usable(chosen);
    if (path !== undefined) return path;
    throw new Error(`CHROMIUM is ${chosen}, which does not run here.`);
  }
  const installed = firstUsable();
  if (installed !== undefined) return installed;
  console.error("No chromium found; installing Debian's …");
  let problem = "the package installed no chromium that runs here";
  try {
    const run = (args: string[]) =>
      execFileSync("apt-get", args, {
        stdio: ["ignore", "ignore", "pipe"],
        timeout: 600_000,
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
    run(["update"]);
    run(["install", "--yes", "--no-install-recommends", "chromium"]);
  } catch (error) {
    problem = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
  const fetched = firstUsable();
  if (fetched !== undefined) return fetched;
  throw new Error(
    `The console's tests need chromium, and it could not be installed (${problem}). ` +
      "Install it (apt-get install chromium), put it on the PATH or set CHROMIUM to its path.",
  );
}

function firstUsable(): string | undefined {
  for (const name of NAMES) {
    const path = usable(name);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The whole path of a browser that runs. */
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

if (import.meta.main) console.log(findChromium());
