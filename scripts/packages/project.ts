/** A project of somebody who installs what was packed. */
import { mkdirSync } from "node:fs";
import { run } from "./run.ts";

/** Flags that turn off steps of npm which are not needed here. */
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];

/** Makes the folder a project as `npm init -y` does. */
export async function initProject(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await run("npm", ["init", "-y"], { cwd: folder, env });
}

/** Installs tarballs, and packages from the registry. */
export async function install(
  folder: string,
  what: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await run("npm", ["install", ...QUIET, ...what], { cwd: folder, env });
}

const UNREACHABLE = /^npm (?:error|ERR!) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT)$/m;

/** Whether npm failed because the registry could not be reached. */
export function isOffline(error: unknown): boolean {
  return error instanceof Error && UNREACHABLE.test(error.message);
}
