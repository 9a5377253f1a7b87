/** Checks what would be published: no dead code or undeclared dependency, exports that resolve, types that match. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

function run(command: string, args: string[]): boolean {
  console.log(`\n$ ${command} ${args.join(" ")}`);
  return spawnSync(command, args, { stdio: "inherit" }).status === 0;
}

const packages = readdirSync("packages").map((name) => `packages/${name}`);
const passed = [
  run("knip", []),
  ...packages.map((folder) => run("publint", ["--strict", folder])),
  ...packages.map((folder) => run("attw", ["--pack", folder, "--profile", "esm-only"])),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;
