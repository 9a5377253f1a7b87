import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..");

/** Installs the peers on first use, and again whenever their lock changed. They are not part of the workspace's own install. */
export function installPeers(print: (line: string) => void): void {
  if (read("node_modules/.package-lock.json") !== undefined && installed()) return;
  print("Installing the libraries that Toolrig is compared with (about 500 MB, once) ...");
  run("npm", ["ci", "--ignore-scripts", "--loglevel=error"], HERE);
}

/** Brings the built packages up to date: benchmarks measure what is published, not the sources. */
export function buildPackages(names: readonly string[], print: (line: string) => void): void {
  const folders = names.map((name) => join("packages", name));
  const built = spawnSync("npx", ["tsc", "-b", ...folders], { cwd: ROOT, encoding: "utf8" });
  if (built.status === 0) return;
  print(`${built.stdout}${built.stderr}`.trim());
  if (folders.some((folder) => !existsSync(join(ROOT, folder, "dist/index.js")))) {
    throw new Error(`The build of ${names.join(" and ")} failed, so there is nothing to measure.`);
  }
  print("The build reported the problems above; measuring what it wrote nevertheless.");
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean; peer?: boolean }>;
}

function installed(): boolean {
  const wanted = JSON.parse(read("package-lock.json")!) as Lock;
  const present = JSON.parse(read("node_modules/.package-lock.json")!) as Lock;
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === "" || optional === true || present.packages[path]?.version === version,
  );
}

function read(path: string): string | undefined {
  const file = join(HERE, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0)
    throw new Error(`"${command} ${args.join(" ")}" in ${cwd} failed; run it by hand to see why.`);
}
