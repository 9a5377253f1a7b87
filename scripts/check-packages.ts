/**
 * Checks what would be published: no dead code or undeclared dependency, exports that resolve, types that match, a README
 * and the licence.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

function run(command: string, args: string[]): boolean {
  console.log(`\n$ ${command} ${args.join(" ")}`);
  return spawnSync(command, args, { stdio: "inherit" }).status === 0;
}

/** npm packs what lies beside package.json, and nothing from the root of the repository. */
function bringsPapers(folder: string): boolean {
  const licence = `${folder}/LICENSE`;
  const own = existsSync(licence) ? readFileSync(licence, "utf8") : "";
  if (existsSync(`${folder}/README.md`) && own === readFileSync("LICENSE", "utf8")) return true;
  console.error(`${folder} needs a README.md and a copy of LICENSE.`);
  return false;
}

const packages = readdirSync("packages").map((name) => `packages/${name}`);
const passed = [
  ...packages.map(bringsPapers),
  run("knip", []),
  ...packages.map((folder) => run("publint", ["--strict", folder])),
  ...packages.map((folder) => run("attw", ["--pack", folder, "--profile", "esm-only"])),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;
