import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "../scripts/install-folder.ts";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..");

/** Installs the peers on first use, and again whenever their lock changed. They are not part of the workspace's own install. */
export function installPeers(print: (line: string) => void): void {
  installFolder(HERE, "the libraries that Toolrig is compared with (about 500 MB, once)", print);
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
