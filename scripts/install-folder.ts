import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

/**
 * Installs what a folder's lock names, on first use and again whenever the lock changed. For folders that are not part of the
 * workspace's own install. A folder without a lock pins its versions in package.json: packages that differ by platform may be
 * incomplete in a lock. Throws when it fails.
 */
export function installFolder(folder: string, what: string, print: (line: string) => void): void {
  if (isInstalled(folder)) return;
  print(`Installing ${what} ...`);
  const how = existsSync(join(folder, "package-lock.json")) ? ["ci"] : ["install", "--no-package-lock"];
  const args = [...how, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // Certificates as the machine trusts them: its own npm does so, and the one beside this Node would not.
  const env = { ...process.env, NODE_USE_SYSTEM_CA: "1" };
  const { status } = spawnSync("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0)
    throw new Error(`"npm ${args.join(" ")}" in ${folder} failed; run it by hand to see why.`);
}

function isInstalled(folder: string): boolean {
  const wanted = lockIn(join(folder, "package-lock.json")) ?? pinnedIn(join(folder, "package.json"));
  const present = lockIn(join(folder, "node_modules/.package-lock.json"));
  if (present === undefined) return false;
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === "" ||
      optional === true ||
      (present.packages[path]?.version === version && existsSync(join(folder, path))),
  );
}

function lockIn(file: string): Lock | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Lock) : undefined;
}

function pinnedIn(file: string): Lock {
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as {
    dependencies?: Record<string, string>;
  };
  const packages = Object.entries(dependencies).map(([name, version]) => [
    `node_modules/${name}`,
    { version },
  ]);
  return { packages: Object.fromEntries(packages) };
}
