import { isAbsolute } from "node:path";
import { type AnyTool, tool } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { type Folder, openFolder } from "../confine/folder.ts";
import { hold, openFile } from "../confine/opened.ts";
import { isPathText } from "../confine/path-text.ts";
import type { Roots } from "../confine/roots.ts";
import { fileFailure } from "../confine/system-error.ts";
import { OUTPUT_PARAMETER, shaped } from "../files/output.ts";
import { readingSettings } from "../files/settings.ts";
import { type Answer, labeled, type Mode } from "./grep-answer.ts";
import { type PathMatcher, pathMatcher } from "./path-pattern.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { candidates, findRipgrep } from "./ripgrep.ts";
import { type Found, searchAt, searchOpen } from "./search-file.ts";
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
    async execute(
      { pattern: source, path = ".", files = "**", all = false, output = usual, ...rest },
      { signal },
    ) {
      const { fixed = false, ignoreCase = false, context = 0, mode = "lines", limit = DEFAULT_LIMIT } = rest;
      const pattern = compilePattern(source, { fixed, ignoreCase });
      const wanted: Wanted = {
        ...{ pattern, signal, mode, limit },
        context: mode === "lines" ? context : 0,
        matches: pathMatcher(files),
        skip: all ? NONE : usuallySkipped,
      };
      const answer = await search(roots, path, wanted, rg).catch((error: unknown) => {
        signal.throwIfAborted();
        throw fileFailure(error, path);
      });
      return shaped(answer, { output, labeled: () => labeled(answer, { source, mode }) });
    },
  });
}

interface Wanted {
  readonly pattern: Pattern;
  readonly signal: AbortSignal;
  readonly mode: Mode;
  readonly limit: number;
  readonly context: number;
  readonly matches: PathMatcher;
  readonly skip: ReadonlySet<string>;
}

async function search(roots: Roots, path: string, wanted: Wanted, rg: string | undefined): Promise<Answer> {
  if (!(await isFolder(roots, path))) return searchOne(roots, path, wanted);
  const folder = await openFolder(roots, path);
  try {
    // ripgrep would look into what the kernel only shows as files.
    const helps = rg !== undefined && !roots.hasKernelBelow(folder.real);
    const narrowed = helps ? await candidates(rg, folder, wanted) : undefined;
    wanted.signal.throwIfAborted();
    const gathering = new Gathering(wanted, narrowed === undefined ? "builtin" : "ripgrep");
    if (narrowed === undefined) await searchAll(roots, folder, wanted, gathering);
    else await searchThese(roots, folder, narrowed, wanted, gathering);
    return gathering.answer();
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

async function searchAll(
  roots: Roots,
  folder: Folder,
  { matches, skip, signal }: Wanted,
  gathering: Gathering,
): Promise<void> {
  const prefix = roots.prefix(folder.real);
  const unread = (path: string) => gathering.addUnread(prefix + path);
  for await (const files of walk(roots, folder, { skip, signal }, unread)) {
    for (const name of files.names) {
      if (!matches(files.prefix, name)) continue;
      if (gathering.isFull) return;
      const found = await searchAt(`${files.base}/${name}`, gathering.next());
      if (found === "unreadable") unread(files.prefix + name);
      else gathering.add(prefix + files.prefix + name, found);
    }
  }
}

/** Each is opened anew, in the roots: what ripgrep read may have been something else. */
async function searchThese(
  roots: Roots,
  folder: Folder,
  paths: readonly string[],
  { matches, signal }: Wanted,
  gathering: Gathering,
): Promise<void> {
  const prefix = roots.prefix(folder.real);
  for (const path of paths) {
    const slash = path.lastIndexOf("/") + 1;
    if (!matches(path.slice(0, slash), path.slice(slash))) continue;
    if (gathering.isFull) return;
    signal.throwIfAborted();
    const asked = isAbsolute(prefix) ? prefix + path : `./${prefix}${path}`;
    if (!isPathText(asked)) continue;
    const file = await openFile(roots, asked).catch(() => undefined);
    if (file === undefined) {
      gathering.addUnread(prefix + path);
      continue;
    }
    try {
      gathering.add(prefix + path, await searchOpen(file.handle.fd, gathering.next()));
    } finally {
      await file.handle.close();
    }
  }
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
    return this.#count > this.#wanted.limit;
  }

  next() {
    const { pattern, signal, context, mode, limit } = this.#wanted;
    const most = { lines: limit + 1 - this.#count, files: 1, count: Number.POSITIVE_INFINITY }[mode];
    return { pattern, signal, context, limit: most };
  }

  /** What has a name that no tool could be asked for is passed by, whoever came by it. */
  add(path: string, found: Found | undefined): void {
    if (found === undefined || !isPathText(`./${path}`)) return;
    this.#tooLong += found.tooLong;
    if (found.count === 0) return;
    const { mode, limit } = this.#wanted;
    if (mode === "lines") {
      for (const line of found.lines) {
        if (line.context === undefined) this.#count += 1;
        if (this.#count <= limit) this.#lines.push({ path, ...line });
      }
      return;
    }
    this.#count += 1;
    if (this.#count <= limit) this.#files.push(mode === "files" ? { path } : { path, count: found.count });
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
      ...(this.#tooLong > 0 && { tooLong: this.#tooLong }),
      ...(this.#unread.length > 0 && { unread: this.#unread }),
    };
  }
}
