import { check } from "@toolrig/core/kit";
import { TRASH } from "../files/delete-file.ts";
import type { ReadingOptions } from "../files/settings.ts";

export interface SearchOptions extends ReadingOptions {
  /** Names of folders that are passed by unless a call asks for `all`. Default: .git, .hg, .svn, node_modules and .trash. */
  skip?: readonly string[];
}

const SKIPPED: readonly string[] = [".git", ".hg", ".svn", "node_modules", TRASH];

/** The parameter of tools that search. */
export const ALL_PARAMETER = {
  type: "boolean",
  description: `Also look into folders that are usually passed by, such as .git and node_modules. Default false.`,
} as const;

export function skippedFolders({ skip = SKIPPED }: SearchOptions): ReadonlySet<string> {
  return new Set(check.strings("skip", skip, "a list of names of folders"));
}
