import { statSync } from "node:fs";
import { type AnyTool, tool } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { type Folder, openFolder } from "../confine/folder.ts";
import { hold, openFile } from "../confine/opened.ts";
import { isPathText } from "../confine/path-text.ts";
import type { Roots } from "../confine/roots.ts";
import { fileFailure } from "../confine/system-error.ts";
import { NEXT_PROPERTY, OUTPUT_PARAMETER, SKIP_PARAMETER, shaped } from "../files/output.ts";
import { readingSettings } from "../files/settings.ts";
import { type Answer, countOf, firstOf, labeled, type Mode } from "./grep-answer.ts";
import { type PathMatcher, pathMatcher } from "./path-pattern.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { candidates, findRipgrep } from "./ripgrep.ts";
import { type Found, isUnspellable, searchAt, searchOpen } from "./search-file.ts";
import {
  ALL_PARAMETER,
  MAX_UNREAD,
  type SearchOptions,
  skippedFolders,
  UNREAD_PROPERTY,
} from "./skipped-folders.ts";
import { walk } from "./walk.ts";

export interface GrepOptions extends SearchOptions {
  /** ripgrep: where it is, or false to do without. Default: the one on the PATH when the tool is made, if there is one. */
  ripgrep?: string | false;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const NONE: ReadonlySet<string> = new Set();
/** How long ago the last change in a folder must be for ripgrep to be believed: no file system counts time more coarsely. */
const SETTLED_MS = 2_000;

const INPUT = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description:
        "A regular expression in RE2's syntax: no look-around, no back-references. Matched line by line.",
    },
    path: {
      type: "string",
      description: "The file or folder to look in, relative to the root. Default: the root.",
    },
    files: { type: "string", description: 'Only files whose path matches, such as "*.ts" or "src/**/*.md".' },
    fixed: { type: "boolean", description: "Look for the pattern as it is written, not as an expression." },
    ignoreCase: { type: "boolean", description: "Upper and lower case are the same. Default false." },
    context: {
      type: "integer",
      minimum: 0,
      maximum: 20,
      description: "Lines to show beside each. Default 0.",
    },
    mode: {
      type: "string",
      enum: ["lines", "files", "count"],
      description:
        "What to list: matching lines, files that have some, or files with how many. Default lines.",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many lines, or files, at most. Default ${DEFAULT_LIMIT}.`,
    },
    skip: SKIP_PARAMETER,
    all: ALL_PARAMETER,
    output: OUTPUT_PARAMETER,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

const OUTPUT = {
  type: "object",
  properties: {
    engine: { enum: ["ripgrep", "builtin"] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: {
          path: { type: "string" },
          line: { type: "integer" },
          text: { type: "string" },
          context: { const: true },
        },
        required: ["path", "line", "text"],
      },
    },
    files: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, count: { type: "integer" } },
        required: ["path"],
      },
    },
    more: { type: "boolean", description: "There are, or may be, more than were asked for." },
    next: NEXT_PROPERTY,
    tooLong: { type: "integer", description: "Lines that are too long to be searched." },
    unread: UNREAD_PROPERTY,
  },
  required: ["engine", "more"],
} as const;

/** `grep`: lines of files by a regular expression that runs in linear time. */
export function grep(options: GrepOptions): AnyTool {
  const { roots, labels, output: usual } = readingSettings("grep", options, ["skip", "ripgrep"]);
  const usuallySkipped = skippedFolders(options);
  if (options.ripgrep !== undefined && options.ripgrep !== false) check.string("ripgrep", options.ripgrep);
  const rg = options.ripgrep === false ? undefined : (options.ripgrep ?? findRipgrep(roots));
  return tool({
    name: "grep",
    description:
      "Search the lines of files for a regular expression. Links are not followed, binary files are passed by.",
    input: INPUT,
    output: OUTPUT,
    safety: { sideEffects: "read", idempotent: true, requires: ["filesystem"] },
    timeout: "60s",
    labels,
    async execute({ pattern: source, path = ".", files = "**", all = false, output = usual, ...rest }, room) {
      const { signal } = room;
      const { fixed = false, ignoreCase = false, context = 0, mode = "lines", limit = DEFAULT_LIMIT } = rest;
      const { skip = 0 } = rest;
      const pattern = compilePattern(source, { fixed, ignoreCase });
      const wanted: Wanted = {
        ...{ pattern, signal, mode, limit, skip },
        context: mode === "lines" ? context : 0,
        matches: pathMatcher(files),
        folders: all ? NONE : usuallySkipped,
      };
      const answer = await search(roots, path, wanted, rg).catch((error: unknown) => {
        signal.throwIfAborted();
        throw fileFailure(error, path);
      });
      const items = { count: countOf(answer), first: (count: number) => firstOf(answer, count, skip) };
      return shaped(answer, {
        ...{ output, items, room },
        labeled: (value) => labeled(value, { source, mode, skip }),
      });
    },
  });
}

interface Wanted {
  readonly pattern: Pattern;
  readonly signal: AbortSignal;
  readonly mode: Mode;
  readonly limit: number;
  /** Matches that are passed by. */
  readonly skip: number;
  readonly context: number;
  readonly matches: PathMatcher;
  /** Names of folders that are passed by. */
  readonly folders: ReadonlySet<string>;
}

async function search(roots: Roots, path: string, wanted: Wanted, rg: string | undefined): Promise<Answer> {
  if (!(await isFolder(roots, path))) return searchOne(roots, path, wanted);
  const folder = await openFolder(roots, path);
  try {
    // ripgrep would look into what the kernel only shows as files.
    const helps = rg !== undefined && !roots.hasKernelBelow(folder.real);
    const since = Date.now() - SETTLED_MS;
    const narrowed = helps ? await candidates(rg, folder, { ...wanted, skip: wanted.folders }) : undefined;
    wanted.signal.throwIfAborted();
    const few = narrowed && (await searchBelow(roots, folder, wanted, { only: new Set(narrowed), since }));
    return few?.isSettled === true ? few.answer : (await searchBelow(roots, folder, wanted)).answer;
  } finally {
    await folder.close();
  }
}

async function isFolder(roots: Roots, path: string): Promise<boolean> {
  const { handle, stat } = await hold(roots, roots.place(path));
  await handle.close();
  return stat.isDirectory();
}

async function searchOne(roots: Roots, path: string, wanted: Wanted): Promise<Answer> {
  const gathering = new Gathering(wanted, "builtin");
  const file = await openFile(roots, path);
  try {
    gathering.add(file.shown, await searchOpen(file.handle.fd, gathering.next()));
  } finally {
    await file.handle.close();
  }
  return gathering.answer();
}

/** Files to which ripgrep narrowed the search, and when it began. */
interface Narrowed {
  readonly only: ReadonlySet<string>;
  readonly since: number;
}

/**
 * Searches every file below a folder, or only those that ripgrep named. `isSettled` is false where ripgrep may have read other
 * files than these: it opens files by path, so a folder that is swapped for a link shows it what is outside, and both what it
 * named and what it did not name would tell of that. Every such swap changes a folder on the way.
 */
async function searchBelow(
  roots: Roots,
  folder: Folder,
  wanted: Wanted,
  narrowed?: Narrowed,
): Promise<{ answer: Answer; isSettled: boolean }> {
  const { matches, folders: skip, signal } = wanted;
  const gathering = new Gathering(wanted, narrowed === undefined ? "builtin" : "ripgrep");
  const prefix = roots.prefix(folder.real);
  const unread = (path: string) => gathering.addUnread(prefix + path);
  let isSettled = true;
  const onFolder = (at: string) => {
    if (narrowed !== undefined && statSync(at).ctimeMs >= narrowed.since) isSettled = false;
  };
  for await (const files of walk(roots, folder, { skip, signal, onFolder }, unread)) {
    for (const name of files.names) {
      const path = files.prefix + name;
      if (!isSettled || gathering.isFull) break;
      if (!matches(files.prefix, name)) continue;
      if (narrowed !== undefined && !narrowed.only.has(path) && !isUnspellable(path)) continue;
      const found = await searchAt(`${files.base}/${name}`, gathering.next());
      if (found === "unreadable") unread(path);
      else gathering.add(prefix + path, found);
    }
    if (!isSettled || gathering.isFull) break;
  }
  return { answer: gathering.answer(), isSettled };
}

/** What was found so far, up to the limit. */
class Gathering {
  readonly #wanted: Wanted;
  readonly #lines: NonNullable<Answer["lines"]> = [];
  readonly #files: NonNullable<Answer["files"]> = [];
  readonly #engine: Answer["engine"];
  #count = 0;
  #tooLong = 0;
  readonly #unread: string[] = [];

  constructor(wanted: Wanted, engine: Answer["engine"]) {
    this.#wanted = wanted;
    this.#engine = engine;
  }

  /** One more than was asked for is looked for, to know whether there are more. */
  get isFull(): boolean {
    return this.#count > this.#last;
  }

  get #last(): number {
    return this.#wanted.skip + this.#wanted.limit;
  }

  next() {
    const { pattern, signal, context, mode } = this.#wanted;
    const most = { lines: this.#last + 1 - this.#count, files: 1, count: Number.POSITIVE_INFINITY }[mode];
    return { pattern, signal, context, limit: most };
  }

  /** What has a name that no tool could be asked for is passed by, whoever came by it. */
  add(path: string, found: Found | undefined): void {
    if (found === undefined || !isPathText(`./${path}`)) return;
    this.#tooLong += found.tooLong;
    if (found.count === 0) return;
    const { mode, skip } = this.#wanted;
    if (mode === "lines") {
      for (const line of found.lines) {
        if (line.context === undefined) this.#count += 1;
        const isPassed = this.#count < skip || (this.#count === skip && line.context === undefined);
        if (this.#count <= this.#last && !isPassed) this.#lines.push({ path, ...line });
      }
      return;
    }
    this.#count += 1;
    if (this.#count > skip && this.#count <= this.#last)
      this.#files.push(mode === "files" ? { path } : { path, count: found.count });
  }

  /** A file or folder that could not be looked into. */
  addUnread(path: string): void {
    if (this.#unread.length < MAX_UNREAD) this.#unread.push(path);
  }

  answer(): Answer {
    return {
      engine: this.#engine,
      ...(this.#wanted.mode === "lines" ? { lines: this.#lines } : { files: this.#files }),
      more: this.isFull,
      ...(this.isFull && { next: { skip: this.#last } }),
      ...(this.#tooLong > 0 && { tooLong: this.#tooLong }),
      ...(this.#unread.length > 0 && { unread: this.#unread }),
    };
  }
}
