import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { DOORS, ROOMS } from "./plan.ts";

export interface Source {
  /** From the root of the repository. */
  file: string;
  package: string;
  /** The folder right below src, "" for what lies beside them and in a package that is one room. */
  room: string;
  lines: number;
  /** Files that it imports by their place. */
  imports: readonly string[];
  /** Names that it imports from other packages and from Node. */
  modules: readonly string[];
  /** It calls the `ask` of a tool's context. */
  asks: boolean;
  /** It has something behind a `finally`. */
  hasFinally: boolean;
  /** It tells the linter not to count what the types should know. */
  hidesAssertions: boolean;
}

/** Every source file of every package; tests left out. */
export function readSources(): Source[] {
  return globSync("packages/*/src/**/*.{ts,mts,cts,tsx,js,mjs,cjs}")
    .filter((file) => !isTest(file))
    .sort()
    .map((file) => {
      const [, name = "", , ...path] = file.split("/");
      const text = readFileSync(file, "utf8");
      const code = withoutComments(text);
      const imported = importedBy(code);
      return {
        file,
        package: name,
        room: path.length > 1 && !isOneRoom(name) ? (path[0] ?? "") : "",
        lines: text.split("\n").length - 1,
        imports: imported.filter(isRelative).map((path) => normalize(join(dirname(file), path))),
        modules: imported.filter((path) => !isRelative(path)),
        asks: ASKS.test(code),
        hasFinally: /\bfinally\b/.test(code),
        hidesAssertions: /biome-ignore[^\n]*noNonNullAssertion/.test(text),
      };
    });
}

/** By its name, or taken out of the context that a tool's `execute` gets. */
const ASKS =
  /\b(?:ctx|context)\.ask\(|\{[^{}]*\bask\b[^{}]*\}(?:: ToolContext)?\)? ?\{|\{[^{}]*\bask\b[^{}]*\}\) =>/;

function isOneRoom(name: string): boolean {
  return ROOMS[name]?.join() === "";
}

export function isTest(file: string): boolean {
  return /\.test(-d)?\.[cm]?[jt]sx?$/.test(file);
}

/** Whatever stands in an import may hold a comment, and a comment may hold anything. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** Everything imported: values, types, modules for their effects alone, re-exports, and imports at run time. */
function importedBy(text: string): string[] {
  const statements = text.matchAll(
    /^\s*(?:import\s*|(?:import|export)\b[^"'`;=]*?\bfrom\s*)["']([^"'\s]+)["']/gm,
  );
  const expressions = text.matchAll(/\bimport\s*\(\s*["'`]([^"'`\s]+)["'`]/g);
  return [...statements, ...expressions].map(([, path = ""]) => path);
}

function isRelative(path: string): boolean {
  return path.startsWith(".");
}

/** The names that a door gives out, types included. */
export function namesOf(file: string): Set<string> {
  const text = readFileSync(file, "utf8");
  const names = new Set<string>();
  for (const [, list = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(",")) {
      const name = item
        .trim()
        .replace(/^type /, "")
        .split(" as ")
        .at(-1);
      if (name) names.add(name);
    }
  }
  const declared = /^export (?:declare )?(?:const|let|function|class|interface|type|enum) (\w+)/gm;
  for (const [, name = ""] of text.matchAll(declared)) names.add(name);
  for (const [, from] of text.matchAll(/^export (?:type )?\* (?:as \w+ )?from "([^"]+)"/gm)) {
    const door = DOORS.find(({ name }) => name === from);
    if (door === undefined) throw new Error(`${file} re-exports ${from}, which is no known door.`);
    for (const name of namesOf(door.file)) names.add(name);
  }
  return names;
}

/** Non-null assertions by package, as the linter finds them. */
export function countAssertions(): Map<string, number> {
  const { stdout } = spawnSync(
    "biome",
    ["lint", "--only=style/noNonNullAssertion", "--reporter=json", "--max-diagnostics=none", "packages"],
    { encoding: "utf8", maxBuffer: 64_000_000, stdio: ["ignore", "pipe", "ignore"] },
  );
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
  const counts = new Map<string, number>();
  for (const { location } of diagnostics) {
    const match = /^packages\/([^/]+)\/src\/(?!.*\.test(-d)?\.ts$)/.exec(location.path);
    if (match?.[1] !== undefined) counts.set(match[1], (counts.get(match[1]) ?? 0) + 1);
  }
  return counts;
}
