/** Machines as people have them, without anything of this project: its Node, its programs, its settings. */
import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** All that installing and starting may need. npm runs scripts by `sh`, and a clone is read by `git`. */
const NEEDED = ["node", "npm", "npx", "sh", "git"];
/** How this machine reaches the registry, if not directly. */
const REACH = /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/**
 * What a program sees on a machine of somebody who has only just come: an empty home, the machine's own Node and npm. Other
 * programs are only those that these need, unless `all` of the machine's are there.
 */
export function newMachine(folder: string, all = false): NodeJS.ProcessEnv {
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  mkdirSync(home, { recursive: true });
  mkdirSync(bin, { recursive: true });
  for (const name of NEEDED) {
    if (!existsSync(join(bin, name))) symlinkSync(ownProgram(name), join(bin, name));
  }
  return machine(home, all ? [bin, ...ownPath()] : [bin]);
}

/** What a program sees on this machine, with a Node of which this is the folder. What npm has fetched before is at hand. */
export function thisMachine(node = dirname(process.execPath)): NodeJS.ProcessEnv {
  return machine(process.env.HOME ?? "", [node, ...ownPath()]);
}

function machine(home: string, path: readonly string[]): NodeJS.ProcessEnv {
  const reach = Object.entries(process.env).filter(([name]) => REACH.test(name));
  return { ...Object.fromEntries(reach), HOME: home, PATH: path.join(delimiter), LANG: "C.UTF-8" };
}

/** The PATH without what npm put in front of it. */
function ownPath(): string[] {
  const parts = (process.env.PATH ?? "").split(delimiter);
  return parts.filter((part) => part !== "" && !part.includes("node_modules"));
}

function ownProgram(name: string): string {
  const found = ownPath()
    .map((part) => join(part, name))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`There is no ${name} on the PATH, apart from this project's own.`);
  return realpathSync(found);
}
