import { type AnyTool, tool } from "@toolrig/core";
import { openFolder } from "../confine/folder.ts";
import { fileFailure } from "../confine/system-error.ts";
import {
  escapeLine,
  headOf,
  NEXT_PROPERTY,
  OUTPUT_PARAMETER,
  plural,
  SKIP_PARAMETER,
  shaped,
} from "../files/output.ts";
import { readingSettings } from "../files/settings.ts";
import { pathMatcher } from "./path-pattern.ts";
import {
  ALL_PARAMETER,
  MAX_UNREAD,
  type SearchOptions,
  skippedFolders,
  UNREAD_PROPERTY,
  unreadNote,
} from "./skipped-folders.ts";
import { walk } from "./walk.ts";

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 100_000;
const NONE: ReadonlySet<string> = new Set();

const INPUT = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description:
        'Such as "src/**/*.{ts,tsx}". One without "/" is about names in all folders, such as "*.md".',
    },
    path: { type: "string", description: "The folder to look in, relative to the root. Default: the root." },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many paths at most. Default ${DEFAULT_LIMIT}.`,
    },
    all: ALL_PARAMETER,
    skip: SKIP_PARAMETER,
    output: OUTPUT_PARAMETER,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    paths: { type: "array", items: { type: "string" } },
    more: { type: "boolean", description: "There are more than were asked for." },
    next: NEXT_PROPERTY,
    unread: UNREAD_PROPERTY,
  },
  required: ["paths", "more"],
} as const;

/** `glob`: files by patterns of their paths, in the order of these. */
export function glob(options: SearchOptions): AnyTool {
  const { roots, labels, output: usual } = readingSettings("glob", options, ["skip"]);
  const usuallySkipped = skippedFolders(options);
  return tool({
    name: "glob",
    description: "Find files by a pattern of their path. Links are not followed.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "60s",
    labels,
    async execute(
      { pattern, path = ".", limit = DEFAULT_LIMIT, all = false, output = usual, ...rest },
      context,
    ) {
      const { skip: passed = 0 } = rest;
      const { signal } = context;
      const matches = pathMatcher(pattern);
      const folder = await openFolder(roots, path);
      const shown = roots.shown(folder.real);
      const prefix = roots.prefix(folder.real);
      const [paths, unread]: [string[], string[]] = [[], []];
      let more = false;
      try {
        const skip = all ? NONE : usuallySkipped;
        const found = walk(roots, folder, { skip, signal }, (each) => unread.push(prefix + each));
        search: for await (const files of found) {
          for (const name of files.names) {
            if (!matches(files.prefix, name)) continue;
            more = paths.length === passed + limit;
            if (more) break search;
            paths.push(prefix + files.prefix + name);
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        throw fileFailure(error, shown);
      } finally {
        await folder.close();
      }
      const named = paths.slice(passed);
      const first = (count: number): Found => ({
        paths: named.slice(0, count),
        more: more || count < named.length,
        ...((more || count < named.length) && { next: { skip: passed + count } }),
        ...(unread.length > 0 && { unread: unread.slice(0, MAX_UNREAD) }),
      });
      const items = { count: named.length, first };
      return shaped(first(named.length), {
        output,
        items,
        room: context,
        labeled: (value) => labeled(value, pattern, passed),
      });
    },
  });
}

interface Found {
  paths: string[];
  more: boolean;
  next?: { skip: number };
  unread?: string[];
}

function labeled({ paths, next, unread = [] }: Found, pattern: string, skip: number): string {
  if (paths.length === 0)
    return `No ${skip > 0 ? "further " : ""}file matches ${JSON.stringify(pattern)}.${unreadNote(unread)}`;
  const head = headOf(plural(paths.length, "file"), skip, next);
  return `${head}:\n${paths.map(escapeLine).join("\n")}${unreadNote(unread)}`;
}
