import { check } from "@toolrig/core/kit";
import { TRASH } from "../files/delete-file.ts";
import { escapeLine } from "../files/output.ts";
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

/** How many of what could not be looked into are named. */
export const MAX_UNREAD = 20;

/** The part of an answer that says so. */
export const UNREAD_PROPERTY = {
  type: "array",
  items: { type: "string" },
  description: `What could not be looked into: the first ${MAX_UNREAD}.`,
} as const;

export function unreadNote(unread: readonly string[]): string {
  return unread.length === 0 ? "" : `\nCould not be looked into: ${unread.map(escapeLine).join(", ")}`;
}

export function skippedFolders({ skip = SKIPPED }: SearchOptions): ReadonlySet<string> {
  return new Set(check.strings("skip", skip, "a list of names of folders"));
}
