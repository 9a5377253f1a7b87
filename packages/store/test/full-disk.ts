import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./full-disk-main.ts", import.meta.url));

/** What came of a store on a disk that is full: see `full-disk-main.ts`. */
export interface OnFullDisk {
  early: string;
  full: string;
  refused: string;
  pruned: boolean;
  again: string;
  known: string;
  paid: number;
  ok: boolean;
  damage: string[];
}

/**
 * Fills a small file system that only the program sees, and prunes on it; where this user may not mount one, a store that may not grow
 * (`maxBytes`), which is the nearest there is.
 */
export function onFullDisk(folder: string, how: "open" | "reopened"): OnFullDisk {
  const mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder];
  const mayMount = spawnSync("unshare", ["-m", ...mount]).status === 0;
  const args = ["--conditions=@toolrig/source", "--no-warnings", MAIN, `${folder}/rig.db`];
  const script = `${mount.slice(0, -1).join(" ")} "$1" && shift && exec "$@"`;
  const { stdout, stderr } = mayMount
    ? spawnSync("unshare", ["-m", "sh", "-c", script, "sh", folder, process.execPath, ...args, how], {
        encoding: "utf8",
      })
    : spawnSync(process.execPath, [...args, "limited"], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as OnFullDisk;
}
