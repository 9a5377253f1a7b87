/** The quick start of the README, line by line, in a project of its own. */
import { globSync, readFileSync } from "node:fs";
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
 * Runs the commands of the README, with what was packed in the place of what the registry has, and on a free port; then the
 * sample's test. Returns what it came to. Throws when one fails, or does something else.
 */
export async function quickStart({ root, folder, tarballs, env }: Start): Promise<string> {
  const options = { cwd: folder, env };
  const seen: string[] = [];
  for (const command of commandsOf(root)) {
    const [, serving] = /^npx toolrig (dev|serve)$/.exec(command) ?? [];
    if (command === "npm init -y") await initProject(folder, env);
    else if (command === "npm install toolrig") await install(folder, tarballs, env);
    else if (serving !== undefined) {
      const bin = join(folder, "node_modules/.bin/toolrig");
      const call = { name: "greet", arguments: { name: "Bob" } };
      seen.push(await tryServed([bin, serving, "--port", "0"], call, options));
    } else if (command.includes(" call ")) {
      const said = await run("sh", ["-c", command], options);
      if (said !== "Hello, Ada!\n") throw new Error(`${command} printed ${JSON.stringify(said)}`);
      seen.push(said.trim());
    } else await run("sh", ["-c", command], options);
  }
  if (seen.length < 2) throw new Error("The README shows no call, or nothing that serves.");
  const [sample] = globSync("tools/*.test.*", { cwd: folder });
  if (sample === undefined) throw new Error("There is no test of the sample.");
  await run("node", ["--test", sample], options);
  return `${seen.join(" ")}, and the sample's test`;
}

/** Of the block that begins a project. */
function commandsOf(root: string): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const blocks = Array.from(readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = ""]) => block);
  const block = blocks.find((each) => each.includes("npx toolrig init"));
  if (block === undefined) throw new Error("The README has no block with npx toolrig init.");
  const lines = block.split("\n").map((line) => line.replace(/\s#\s.*$/, ""));
  return lines
    .flatMap((line) => line.split("&&"))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
