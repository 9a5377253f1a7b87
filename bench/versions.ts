import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** By name. Undefined is what is not installed here, and so was not compared with. */
export type Versions = Readonly<Record<string, string | undefined>>;

const ROOT = join(import.meta.dirname, "..");
const FOLDERS = ["bench", "packages/interop/peers", "packages/mcp", "."];

/** The installed versions of packages, where a benchmark finds them. */
export function packageVersions(...names: string[]): Versions {
  return Object.fromEntries(names.map((name) => [name, installed(name)]));
}

function installed(name: string): string | undefined {
  for (const folder of FOLDERS) {
    try {
      const manifest = readFileSync(join(ROOT, folder, "node_modules", name, "package.json"), "utf8");
      return (JSON.parse(manifest) as { version: string }).version;
    } catch {
      // In the next folder, or nowhere.
    }
  }
  return undefined;
}

/** What the first of these commands that is here says of itself. */
export function programVersion(...commands: string[]): string | undefined {
  for (const command of commands) {
    try {
      const said = execFileSync(command, ["--version"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      return /\d+(\.\d+)+/.exec(said)?.[0];
    } catch {
      // The next, or none.
    }
  }
  return undefined;
}
