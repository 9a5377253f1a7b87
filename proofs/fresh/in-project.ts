import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Packed, pack } from "../../scripts/packages/pack.ts";
import { problemsOf } from "../../scripts/packages/problems.ts";
import { run } from "../../scripts/packages/run.ts";
import { doorsWithoutPeers, openDoors } from "./doors.ts";
import { thisMachine } from "./machine.ts";
import { quickStart } from "./quick-start.ts";
import type { Trial } from "./trial.ts";

/** What was packed, in a project of one's own on this Node. Returns it for whoever goes on. */
export async function inProject(trial: Trial, root: string): Promise<readonly Packed[] | undefined> {
  const env = thisMachine();
  const folder = join(trial.folder, "project");
  const packed = await trial.step("packages", () => packAll(root, join(trial.folder, "packed")));
  if (packed === undefined) return undefined;
  const reached = await trial.probe("registry", async () => {
    // Whoever installs without a way to it waits for minutes.
    await run("npm", ["ping", "--fetch-retries=0", "--no-update-notifier"], { cwd: trial.folder, env });
    return "answers";
  });
  if (reached === undefined) return undefined;
  const tarballs = packed.all.map(({ file }) => file);
  const start = { root, folder, tarballs, env };
  const started = await trial.step(`quick start on Node ${process.versions.node}`, () => quickStart(start));
  if (started === undefined) return packed.all;
  const doors = packed.all.flatMap(({ manifest }) => doorsWithoutPeers(manifest));
  await trial.step("doors", async () => {
    await openDoors(folder, doors, env);
    return `${doors.length} can be imported, and required`;
  });
  return packed.all;
}

async function packAll(root: string, into: string): Promise<{ all: Packed[]; tell: string }> {
  mkdirSync(into);
  const all = await pack(root, into);
  const problems = all.flatMap((each) =>
    problemsOf(root, each).map((problem) => `${each.folder} ${problem}`),
  );
  if (problems.length > 0) throw new Error(problems.join("; "));
  const kilobytes = Math.ceil(all.reduce((sum, { size }) => sum + size, 0) / 1024);
  return { all, tell: `${all.length} packed, ${kilobytes} KB, with what belongs in them and nothing else` };
}
