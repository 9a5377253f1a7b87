/** A project of somebody who tries whatever the pages show, with what was packed and the packages that the pages name. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wireServer } from "../../packages/agent/test/wire/server.ts";
import type { Packed } from "../../scripts/packages/pack.ts";
import { initProject, install } from "../../scripts/packages/project.ts";
import { run } from "../../scripts/packages/run.ts";
import { doorsOf } from "../../scripts/packages/workspace.ts";
import { startNats } from "../../scripts/start-nats.ts";
import { openDoors, typeCheckDoors } from "./doors.ts";
import { thisMachine } from "./machine.ts";
import { type Program, programsOf } from "./programs.ts";
import type { Trial } from "./trial.ts";

/** At a time; most of each is spent on starting. */
const AT_ONCE = 3;
const MAX_MS = 180_000;
const IMPORT = /\b(?:from |import |import\(|import\.meta\.resolve\()"((?:@[\w.-]+\/)?[\w.-]+)/g;

export async function readersProject(trial: Trial, root: string, packed: readonly Packed[]): Promise<void> {
  const folder = join(trial.folder, "reader");
  const env = thisMachine();
  const programs = programsOf(root);
  const installed = await trial.step("what the pages name", async () => {
    const named = packagesNamed(root, programs);
    await initProject(folder, env);
    await install(folder, [...packed.map(({ file }) => file), ...named], env);
    return `${named.join(", ")} installed beside ours`;
  });
  if (installed === undefined) return;
  const doors = packed.flatMap(({ manifest }) => doorsOf(manifest));
  await trial.step("every door", async () => {
    await openDoors(folder, doors, env);
    await typeCheckDoors(root, folder, doors);
    return `${doors.length} can be imported and required; their types hold under nodenext and bundler`;
  });
  await trial.step("snippets", () => runAll(folder, programs, env));
}

async function runAll(folder: string, programs: readonly Program[], env: NodeJS.ProcessEnv): Promise<string> {
  const nats = await startNats();
  const misses: string[] = [];
  const queue = [...programs];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const miss = await missOf(folder, next, nats.url, env);
      if (miss !== undefined) misses.push(`${next.title}: ${miss}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await nats.close();
  }
  if (misses.length > 0)
    throw new Error(`${misses.length} of ${programs.length} fail:\n${misses.join("\n")}`);
  return `${programs.length} run, and print what they say, with nothing but what is installed`;
}

/** A model stands behind each program, and a NATS server at the usual address. */
async function missOf(folder: string, program: Program, nats: string, env: NodeJS.ProcessEnv) {
  const cwd = join(folder, program.folder);
  mkdirSync(cwd);
  // In a project as npm init makes it, a module has to say that it is one.
  writeFileSync(join(cwd, "snippet.mts"), program.code.replaceAll("nats://127.0.0.1:4222", nats));
  const model = await wireServer();
  model.play([...program.replies]);
  const own = { ...env, OPENAI_BASE_URL: `${model.origin}/v1`, OPENAI_API_KEY: "none" };
  try {
    const said = await run("node", ["snippet.mts"], { cwd, env: own, timeout: MAX_MS });
    const { output } = program;
    if (output === undefined || said.trimEnd() === output.trimEnd()) return undefined;
    return `printed ${JSON.stringify(said)} and should print ${JSON.stringify(output)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await model.close();
  }
}

/** Every package that programs import and that is not ours, in the version that this repository has. */
function packagesNamed(root: string, programs: readonly Program[]): string[] {
  const versions = { ...lockedIn(root), ...lockedIn(join(root, "packages/interop/peers")) };
  const imports = programs.flatMap(({ code }) => Array.from(code.matchAll(IMPORT), ([, name = ""]) => name));
  // Some are imported only by other packages: the adapters have their frameworks as peers.
  const peers = Object.keys(
    JSON.parse(readFileSync(join(root, "packages/interop/package.json"), "utf8")).peerDependencies,
  );
  const names = new Set(
    [...imports, ...peers].filter((name) => !/^(?:@toolrig|toolrig$|node$|\.)/.test(name)),
  );
  return [...names].sort().map((name) => {
    const version = versions[name];
    if (version === undefined)
      throw new Error(`The pages name ${name}, which no lock of this repository has.`);
    return `${name}@${version}`;
  });
}

function lockedIn(folder: string): Record<string, string> {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string }>;
  };
  const entries = Object.entries(packages).filter(([path]) => path.lastIndexOf("node_modules/") === 0);
  return Object.fromEntries(
    entries.map(([path, { version = "" }]) => [path.slice("node_modules/".length), version]),
  );
}
