import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Lets Node keep compiled modules between commands. `NODE_COMPILE_CACHE` chooses the folder, `NODE_DISABLE_COMPILE_CACHE` refuses.
 * Node's default is a folder among everybody's temporary files; what is executed comes from one that the user alone can read and
 * write instead. Without such a folder there is no cache.
 */
export function keepCompiled(): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  try {
    const folder = join(cacheHome(), "toolrig", "compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // A home that cannot be found or written to: every command compiles anew.
  }
}

function cacheHome(): string {
  const { XDG_CACHE_HOME = "" } = process.env;
  return isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), ".cache");
}
