/** A process that swaps what is at a path as fast as it can: a folder, or a file, and a link to one outside. */
import { existsSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";

const [what, path, target] = process.argv.slice(2) as ["folder" | "file", string, string];
let swaps = 0;
let ended = false;
process.on("message", () => {
  ended = true;
});
process.on("disconnect", () => process.exit());

const attempt = (change: () => void) => {
  try {
    change();
    swaps += 1;
  } catch {
    // The tools were there first.
  }
};

function swapFolder(): void {
  // What the tools have made in the place of the folder makes room again.
  if (existsSync(`${path}.aside`)) {
    attempt(() => rmSync(path, { recursive: true, force: true }));
    attempt(() => renameSync(`${path}.aside`, path));
  }
  attempt(() => renameSync(path, `${path}.aside`));
  attempt(() => symlinkSync(target, path));
  attempt(() => unlinkSync(path));
  attempt(() => renameSync(`${path}.aside`, path));
}

/** By renaming over it: there is no moment without something at the path. */
function swapFile(): void {
  attempt(() => symlinkSync(target, `${path}.link`));
  attempt(() => renameSync(`${path}.link`, path));
  attempt(() => writeFileSync(`${path}.file`, "inside\n"));
  attempt(() => renameSync(`${path}.file`, path));
}

function work(): void {
  for (let times = 0; times < 100 && !ended; times++) (what === "folder" ? swapFolder : swapFile)();
  if (!ended) setImmediate(work);
  else process.send?.(swaps, undefined, undefined, () => process.disconnect());
}

process.send?.("ready");
work();
