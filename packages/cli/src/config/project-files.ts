import { dirname, join, resolve } from "node:path";
import { findOwnConfig } from "./own-config.ts";

/**
 * Where a project keeps what is its own beside the store: `.toolrig` beside its config, from whichever folder a command is typed.
 * Without a config it is that of the folder where it is typed.
 */
export interface ProjectFiles {
  /** The hashes of tokens. */
  readonly tokens: string;
  /** Requests that were refused. */
  readonly denied: string;
}

export function projectFiles(configFile: string | undefined): ProjectFiles {
  const config = configFile === undefined ? findOwnConfig(process.cwd()) : resolve(configFile);
  const folder = join(config === undefined ? process.cwd() : dirname(config), ".toolrig");
  return { tokens: join(folder, "tokens.json"), denied: join(folder, "denied.ndjson") };
}
