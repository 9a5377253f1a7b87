import { join } from "node:path";
import { run } from "../../scripts/packages/run.ts";
import { eachAlone } from "./each-alone.ts";
import { inProject } from "./in-project.ts";
import { newMachine, thisMachine } from "./machine.ts";
import { onNodes } from "./on-nodes.ts";
import { onPages } from "./on-pages.ts";
import { readersProject } from "./readers-project.ts";
import { tryServed } from "./served.ts";
import type { Trial } from "./trial.ts";

const CALL = { name: "find_orders", arguments: { customer: "ada@firm.example" } };

/** Everything, on a fresh clone: what the README says to do with one, what its pages say, what is packed in it; its tests at last. */
export async function inClone(trial: Trial, root: string): Promise<void> {
  const clone = join(trial.folder, "clone");
  const bare = newMachine(trial.folder);
  if (!(await trial.step("git clone", () => cloneOf(root, clone, bare)))) return;
  const installed = await trial.step("npm ci", async () => {
    await run("npm", ["ci"], { cwd: clone, env: bare });
    return `in an empty home, with Node ${(await run("node", ["--version"], { cwd: clone, env: bare })).trim()}`;
  });
  if (installed === undefined) return;
  await trial.step("npm start", () =>
    tryServed(["npm", "start", "--", "--port", "0"], CALL, { cwd: clone, env: bare }),
  );
  await onPages(trial, clone);
  const built = await trial.step("npm run build", async () => {
    await run("npm", ["run", "build"], { cwd: clone, env: bare });
    return "from nothing";
  });
  const packed = built === undefined ? undefined : await inProject(trial, clone);
  if (packed !== undefined) {
    await eachAlone(trial, packed);
    await onNodes(trial, clone, packed);
    await readersProject(trial, clone, packed);
  }
  await trial.step("npm test", async () => {
    // Beside Node it needs what the README names: nats-server and chromium, or a Debian to get them from.
    const said = await run("npm", ["test"], { cwd: clone, env: newMachine(trial.folder, true) });
    return (/Tests .*/.exec(said)?.[0] ?? "passed").replaceAll(/\s+/g, " ");
  });
}

async function cloneOf(root: string, clone: string, env: NodeJS.ProcessEnv): Promise<string> {
  // The clone is made by this machine's git, which may read the checkout; all that follows is the newcomer's.
  await run("git", ["clone", "--quiet", root, clone], { cwd: root, env: thisMachine() });
  const commit = await run("git", ["log", "-1", "--format=%h %s"], { cwd: clone, env });
  const changed = (await run("git", ["status", "--short"], { cwd: root })).split("\n").length - 1;
  return `${commit.trim()}${changed === 0 ? "" : `; ${changed} files that are changed here are not in it`}`;
}
