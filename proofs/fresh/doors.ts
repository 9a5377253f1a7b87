/** Every door of packages that are installed: imported, required, and looked at by the compiler. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../scripts/packages/run.ts";
import { doorsOf, type Manifest } from "../../scripts/packages/workspace.ts";

/** Those that work without a framework that somebody must have installed. */
export function doorsWithoutPeers(manifest: Manifest): string[] {
  const doors = doorsOf(manifest);
  return manifest.peerDependencies === undefined ? doors : doors.slice(0, 1);
}

/** Imports and requires each in a project. Throws for what fails, or gives out different names one way and the other. */
export async function openDoors(
  folder: string,
  doors: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const program = `
    const { createRequire } = await import("node:module");
    const { join } = await import("node:path");
    const require = createRequire(join(process.cwd(), "index.js"));
    for (const door of ${JSON.stringify(doors)}) {
      const [imported, required] = [await import(door), require(door)].map((each) => Object.keys(each).sort().join());
      if (imported !== required) throw new Error(door + " gives out " + imported + " and " + required);
    }`;
  const args = ["--no-warnings", "--input-type=module", "--eval", program];
  await run("node", args, { cwd: folder, env });
}

const RESOLUTIONS = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
};

/** Compiles a program that imports each, with nothing left unchecked in the packages' own declarations. */
export async function typeCheckDoors(root: string, folder: string, doors: readonly string[]): Promise<void> {
  const imports = doors.map((door, at) => `import * as door${at} from ${JSON.stringify(door)};`);
  const used = doors.map((_, at) => `door${at}`).join(", ");
  writeFileSync(join(folder, "doors.mts"), `${imports.join("\n")}\nconsole.log(${used});\n`);
  for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
    const options = { ...resolution, strict: true, noEmit: true, skipLibCheck: false, target: "es2024" };
    const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    const config = { compilerOptions: { ...options, ...types }, files: ["doors.mts"] };
    writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify(config));
    await run(join(root, "node_modules/.bin/tsc"), ["-p", `tsconfig.${name}.json`], { cwd: folder });
  }
}
