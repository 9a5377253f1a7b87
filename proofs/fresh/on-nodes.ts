import { dirname, join } from "node:path";
import type { Packed } from "../../scripts/packages/pack.ts";
import { run } from "../../scripts/packages/run.ts";
import { manifestIn } from "../../scripts/packages/workspace.ts";
import { doorsWithoutPeers, openDoors } from "./doors.ts";
import { thisMachine } from "./machine.ts";
import { quickStart } from "./quick-start.ts";
import type { Trial } from "./trial.ts";

/** The quick start on the oldest Node that packages promise to run on, and on the newest there is. */
export async function onNodes(trial: Trial, root: string, packed: readonly Packed[]): Promise<void> {
  const env = thisMachine();
  const oldest = `${manifestIn(join(root, "packages/core")).engines?.node?.replace(">=", "")}.0`;
  const tarballs = packed.map(({ file }) => file);
  const doors = packed.flatMap(({ manifest }) => doorsWithoutPeers(manifest));
  for (const wanted of [oldest, "latest"]) {
    await trial.step(`quick start on Node ${wanted}`, async () => {
      const node = await nodeAt(wanted, trial.folder, env);
      const folder = join(trial.folder, `on-${wanted}`);
      const own = thisMachine(dirname(node.path));
      const seen = await quickStart({ root, folder, tarballs, env: own });
      await openDoors(folder, doors, own);
      return `${node.version}: ${seen}; ${doors.length} doors`;
    });
  }
}

/** A Node of the registry, which has them as packages. Throws when another one would run. */
async function nodeAt(wanted: string, cwd: string, env: NodeJS.ProcessEnv) {
  const print = "node -p 'process.version + process.execPath'";
  const said = await run("npx", ["--yes", "--package", `node@${wanted}`, "--call", print], { cwd, env });
  const [, version = "", path = ""] = /^(v[\d.]+)(.+)$/m.exec(said) ?? [];
  if (wanted !== "latest" && version !== `v${wanted}`)
    throw new Error(`Node ${wanted} was asked for; got ${said}`);
  return { version, path };
}
