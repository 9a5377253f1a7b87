/** The commands that pages tell people to run, and whether there are such: scripts, proofs, benchmarks, `toolrig` with its options. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../packages/cli/src/commands/commands.ts";
import { COMMON_OPTIONS, type CommandTable, type OptionTable } from "../packages/cli/src/shell/command.ts";
import { proofNames } from "../proofs/proof-names.ts";
import { run } from "../scripts/packages/run.ts";
import { packagesOf } from "../scripts/packages/workspace.ts";
import { pagesOf } from "./snippets.ts";

/** What there is to be run. */
export interface Runnable {
  /** Of package.json. */
  scripts: readonly string[];
  /** Of this repository, by the names under which they are installed. */
  packages: readonly string[];
  /** What `npm run prove` and `npm run bench` can be told. */
  names: Readonly<Record<string, readonly string[]>>;
  commands: CommandTable;
}

/** Every command of every page that cannot be run as it stands. What a changelog tells of may be gone. */
export async function wrongCommands(root: string, runnable: Runnable) {
  const told = pagesOf(root)
    .filter((page) => page !== "CHANGELOG.md")
    .flatMap((page) =>
      commandsIn(readFileSync(join(root, page), "utf8")).map((command) => ({ page, command })),
    );
  const wrong: string[] = [];
  for (const { page, command } of told) {
    const problem = await problemOf(command, runnable);
    if (problem !== undefined) wrong.push(`${page}: ${command}: ${problem}`);
  }
  return { checked: told.length, wrong };
}

export async function runnableIn(root: string): Promise<Runnable> {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const listed = await run("node", ["bench/main.ts", "list"], { cwd: root });
  return {
    scripts: Object.keys(scripts),
    packages: packagesOf(root).map(({ manifest }) => manifest.name),
    names: {
      prove: proofNames(),
      bench: ["list", ...Array.from(listed.matchAll(/^[\w-]+/gm), ([name]) => name)],
    },
    commands,
  };
}

/** All lines of `sh` are commands; of a `console`, those behind the prompt. */
const BLOCK = /^```(sh|console)\n([\s\S]*?)^```$/gm;
const INLINE = /`((?:npm |npx |toolrig )[^`\n]+)`/g;
/** In a table a bar stands behind a backslash. */
const ESCAPED_BAR = /\\\|/g;

/** Every command of a page, in blocks and between backticks, one by one. Quoted text is one word, whatever is in it. */
export function commandsIn(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const inline = Array.from(prose.matchAll(INLINE), ([, command = ""]) =>
    command.replaceAll(ESCAPED_BAR, "|"),
  );
  const blocks = Array.from(page.matchAll(BLOCK)).flatMap(([, kind, text = ""]) => {
    const lines = text.replaceAll("\\\n", " ").split("\n");
    return kind === "sh" ? lines : lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  });
  return [...blocks, ...inline]
    .map((line) => line.replaceAll(/'[^']*'|"[^"]*"/g, "TEXT").replace(/(?:^|\s)#\s.*$/, ""))
    .flatMap((line) => line.split(/&&|;|\s\|\s/))
    .map((command) => command.trim().replace(/^npx (?=toolrig\b)/, ""))
    .filter((command) => /^(?:npm|toolrig) /.test(command));
}

/** Why a command cannot be run as it stands, or undefined. Words in capitals stand for something. */
export async function problemOf(command: string, runnable: Runnable): Promise<string | undefined> {
  const [program, ...words] = wordsOf(command);
  return program === "npm" ? npmProblem(words, runnable) : toolrigProblem(words, runnable.commands);
}

/** Brackets are around what may be left out. */
function wordsOf(command: string): string[] {
  return command
    .replaceAll(/[[\]]/g, "")
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "…" && word !== "...");
}

function npmProblem(words: string[], { scripts, packages, names }: Runnable): string | undefined {
  const [verb = "", script = "", ...rest] = words;
  if (verb === "install") {
    const unknown = words.find((word) => /^(?:@toolrig\/|toolrig)/.test(word) && !packages.includes(word));
    return unknown === undefined ? undefined : `there is no package ${unknown}`;
  }
  if (verb === "start" || verb === "test")
    return scripts.includes(verb) ? undefined : `there is no script ${verb}`;
  if (verb !== "run" || isPlaceholder(script)) return undefined;
  if (!scripts.includes(script)) return `there is no script ${script}`;
  const [name] = rest.filter((word) => !word.startsWith("-"));
  const known = names[script];
  return known === undefined || name === undefined || isPlaceholder(name) || known.includes(name)
    ? undefined
    : `${script} knows no ${name}`;
}

async function toolrigProblem(words: string[], commands: CommandTable): Promise<string | undefined> {
  const at = words.findIndex((word) => !word.startsWith("-"));
  const name = words[at];
  if (name === undefined || isPlaceholder(name)) return undefined;
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) return `there is no command ${name}`;
  const options: OptionTable = { ...(await entry.load()).options, ...COMMON_OPTIONS };
  const shorts = Object.values(options).map(({ short }) => short);
  const unknown = words.find((word) => {
    const [, dashes, option = ""] = /^(--?)([a-z][\w-]*)/i.exec(word) ?? [];
    if (dashes === "--") return !Object.hasOwn(options, option);
    return dashes === "-" && !shorts.includes(option);
  });
  return unknown === undefined ? undefined : `${name} has no option ${unknown}`;
}

function isPlaceholder(word: string): boolean {
  return /^[A-Z_]+$/.test(word);
}
