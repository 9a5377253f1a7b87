import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

function argsOf(path: string, args: readonly string[]): string[] {
  return ["--conditions=@toolrig/source", "--no-warnings", MAIN, ...args, "--store", path];
}

/** The guide's command, as it is typed. */
export function toolrig(path: string, ...args: string[]): { status: number | null; said: string } {
  const options = { encoding: "utf8", cwd: dirname(path) } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, argsOf(path, args), options);
  return { status, said: `${stdout}${stderr}` };
}

/** The same, to be killed while it runs. */
export function startToolrig(path: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, argsOf(path, args), { cwd: dirname(path), stdio: "ignore" });
}
