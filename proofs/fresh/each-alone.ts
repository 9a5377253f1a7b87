import { basename, join } from "node:path";
import type { Packed } from "../../scripts/packages/pack.ts";
import { initProject, install } from "../../scripts/packages/project.ts";
import { doorsWithoutPeers, openDoors } from "./doors.ts";
import { thisMachine } from "./machine.ts";
import type { Trial } from "./trial.ts";

/** Each package in a project that has only it and what it says it needs: nothing is found by accident. */
export async function eachAlone(trial: Trial, packed: readonly Packed[]): Promise<void> {
  const env = thisMachine();
  for (const each of packed) {
    const { manifest, folder } = each;
    await trial.step(`${manifest.name} alone`, async () => {
      const project = join(trial.folder, "alone", basename(folder));
      const needed = withNeeded(each, packed);
      await initProject(project, env);
      await install(
        project,
        needed.map(({ file }) => file),
        env,
      );
      const doors = doorsWithoutPeers(manifest);
      await openDoors(project, doors, env);
      const kilobytes = Math.ceil(each.size / 1024);
      return `${each.files.length} files, ${kilobytes} KB; ${doors.length} doors, with ${needed.length - 1} siblings`;
    });
  }
}

function withNeeded(each: Packed, packed: readonly Packed[]): Packed[] {
  const names = Object.keys(each.manifest.dependencies ?? {});
  const siblings = packed.filter(({ manifest }) => names.includes(manifest.name));
  return [...new Set([...siblings.flatMap((sibling) => withNeeded(sibling, packed)), each])];
}
