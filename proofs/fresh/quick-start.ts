/** The quick start of the README, line by line, in a project of its own. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { initProject, install } from "../../scripts/packages/project.ts";
import { run } from "../../scripts/packages/run.ts";
import { tryServed } from "./served.ts";

export interface Start {
  /** The repository whose README is followed. */
  root: string;
  /** Where the project goes. */
  folder: string;
  tarballs: readonly string[];
  /** What the commands see. */
  env: NodeJS.ProcessEnv;
}

/**
 * Runs the commands of the README, with what was packed in the place of what the registry has; then the sample's test, and the
 * server. Returns what it came to. Throws when one fails, or prints something else.
 */
export async function quickStart({ root, folder, tarballs, env }: Start): Promise<string> {
  const said: string[] = [];
  for (const command of commandsOf(root)) {
    if (command === "npm init -y") await initProject(folder, env);
    else if (command === "npm install toolrig") await install(folder, tarballs, env);
    else said.push(await run("sh", ["-c", command], { cwd: folder, env }));
  }
  if (!said.includes("Hello, Ada!\n"))
    throw new Error(`No call of the README greeted Ada: ${said.join("\n")}`);
  const [sample] = globSync("tools/*.test.*", { cwd: folder });
  if (sample === undefined) throw new Error("There is no test of the sample.");
  await run("node", ["--test", sample], { cwd: folder, env });
  const bin = join(folder, "node_modules/.bin/toolrig");
  if (!existsSync(bin)) throw new Error(`${bin} was not installed.`);
  const call = { name: "greet", arguments: { name: "Bob" } };
  return tryServed([bin, "serve", "--port", "0"], call, { cwd: folder, env });
}

function commandsOf(root: string): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, block] = /^In a project of your own:\n\n```sh\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  if (block === undefined) throw new Error('The README has no block behind "In a project of your own:".');
  const lines = block.split("\n").map((line) => line.replace(/\s#\s.*$/, ""));
  return lines
    .flatMap((line) => line.split("&&"))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
