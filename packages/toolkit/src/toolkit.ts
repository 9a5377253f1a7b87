import { type AnyTool, readResultTool } from "@toolrig/core";
import { check, defined, hasSideEffects } from "@toolrig/core/kit";
import { PROTECTED } from "./confine/protected.ts";
import { Roots, type RootsInput } from "./confine/roots.ts";
import { querySqlite } from "./data/query-sqlite.ts";
import { readJson } from "./data/read-json.ts";
import { type DeleteOptions, deleteFile } from "./files/delete-file.ts";
import { editFile } from "./files/edit-file.ts";
import { listDir } from "./files/list-dir.ts";
import { moveFile } from "./files/move-file.ts";
import { readFile } from "./files/read-file.ts";
import type { ReadingOptions } from "./files/settings.ts";
import { writeFile } from "./files/write-file.ts";
import { fetchUrl, sendRequest } from "./http/fetch-url.ts";
import type { HttpOptions } from "./http/options.ts";
import { webSearch } from "./http/web-search.ts";
import { backgroundProcesses } from "./process/background.ts";
import type { ProcessOptions } from "./process/options.ts";
import { Processes } from "./process/processes.ts";
import { bash, runCommand } from "./process/run-command.ts";
import { glob } from "./search/glob.ts";
import { type GrepOptions, grep } from "./search/grep.ts";

/** What all tools of the kit may be told at once. Each takes what concerns it. */
export interface ToolkitOptions
  extends Omit<ReadingOptions, "roots">,
    Omit<DeleteOptions, "roots" | "labels">,
    Omit<GrepOptions, "roots" | "labels" | "output"> {
  /** The folder that the tools may touch, such as ".". */
  root?: string;
  /** Several of them; relative paths begin at the first. */
  roots?: RootsInput;
  /** Only tools without side effects. Default false. */
  readOnly?: boolean;
  /** Commands in the roots: how they are run, or false for none. A shell only with `bash: true`. Default true. */
  processes?: boolean | (Omit<ProcessOptions, "root"> & { bash?: boolean });
  /** Pages and requests: what may be reached, or false for none. `search` is the endpoint of `web_search`. Default true. */
  http?: boolean | (HttpOptions & { search?: string });
}

type Whole = "root" | "roots" | "readOnly" | "processes" | "http";
type Settings = Omit<ToolkitOptions, Whole> & { roots: Roots };

/** A maker of a tool, and the settings of the kit that it takes besides `roots`. */
interface Part {
  make(options: never): AnyTool;
  takes: readonly (keyof Settings)[];
}

const READING = ["labels", "output"] as const;
const CHANGING = ["labels", "protect", "artifacts"] as const;

/** Files, search and data, one line a tool. */
const PARTS: readonly Part[] = [
  { make: readFile, takes: READING },
  { make: listDir, takes: READING },
  { make: glob, takes: [...READING, "skip"] },
  { make: grep, takes: [...READING, "skip", "ripgrep"] },
  { make: readJson, takes: READING },
  { make: querySqlite, takes: READING },
  { make: writeFile, takes: CHANGING },
  { make: editFile, takes: CHANGING },
  { make: moveFile, takes: CHANGING },
  { make: deleteFile, takes: [...CHANGING, "trash"] },
];

/**
 * Tools for files, search, data, commands and pages, confined to a folder or several.
 *
 * @example
 * ```ts
 * import { Executor } from "@toolrig/core";
 * import { toolkit } from "@toolrig/toolkit";
 *
 * const executor = new Executor({ tools: toolkit({ root: "." }) });
 * await executor.call({ id: "1", name: "write_file", arguments: { path: "a.txt", content: "Hello" } });
 * const outside = { id: "2", name: "read_file", arguments: { path: "../../.ssh/id_rsa" } };
 * console.log((await executor.call(outside)).failure?.code); //=> TOOL_BLOCKED
 * ```
 */
export function toolkit(options: ToolkitOptions): AnyTool[] {
  check.object("The options of toolkit", options, "an object with a root, such as { root: '.' }");
  const takes = PARTS.flatMap((part) => part.takes);
  check.known("toolkit", options, ["root", "roots", "readOnly", "processes", "http", ...new Set(takes)]);
  const { root, roots, readOnly = false, processes = true, http = true, ...rest } = options;
  check.flag("readOnly", readOnly);
  if ((root === undefined) === (roots === undefined))
    throw check.invalid("root", "the folder that the tools may touch, or roots a list of them", root);
  const settings: Settings = { ...rest, roots: Roots.of(root ?? (roots as RootsInput)) };
  const tools = [
    ...PARTS.map(({ make, takes }) => make(only(settings, takes) as never)),
    // Output that is over the executor's cap, such as that of a command, is read on with it.
    readResultTool(),
    ...(processes === false || readOnly ? [] : commandTools(settings, processes)),
    ...(http === false ? [] : httpTools(http)),
  ];
  return readOnly ? tools.filter(({ safety }) => !hasSideEffects(safety)) : tools;
}

function commandTools(
  { roots, protect = PROTECTED }: Settings,
  options: Exclude<ToolkitOptions["processes"], false | undefined>,
) {
  if (options !== true) check.object("processes", options, "true, false or an object of options");
  const { bash: withShell = false, ...rest } = options === true ? {} : options;
  check.flag("processes.bash", withShell);
  const processes = new Processes({ protect, ...rest, root: roots.folders });
  return [runCommand(processes), ...backgroundProcesses(processes), ...(withShell ? [bash(processes)] : [])];
}

function httpTools(options: Exclude<ToolkitOptions["http"], false | undefined>) {
  if (options !== true) check.object("http", options, "true, false or an object of options");
  const { search, ...rest } = options === true ? {} : options;
  const searching = { ...rest, ...defined({ endpoint: search }) };
  return [fetchUrl(rest), sendRequest(rest), webSearch(searching)];
}

function only(settings: Settings, names: readonly (keyof Settings)[]): Partial<Settings> {
  const taken = names.filter((name) => settings[name] !== undefined).map((name) => [name, settings[name]]);
  return { ...Object.fromEntries(taken), roots: settings.roots };
}
