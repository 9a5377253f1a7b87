import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");
const { dependencies, exports: entries } = manifest(PACKAGE);
/** Entries that must run where there is no Node. */
const EVERYWHERE = [".", "./json", "./extract"];
const MAX_BYTES = 5_250_000;

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  exports: Record<string, { default: string }>;
  files: string[];
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** The modules that a built file imports, however it does. Type-only imports are gone by now. */
function importsOf(file: string): string[] {
  const code = readFileSync(file, "utf8");
  const statement = /^\s*(?:import|export)(?:\s[\w\s{},*$]*?\sfrom)?\s*["']([^"']+)["']/gm;
  const expression = /\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/g;
  return [...code.matchAll(statement), ...code.matchAll(expression)].map((match) => match[1]!);
}

/** Every built file reachable from an entry, in the packages of this workspace, with what it imports from elsewhere. */
function reachable(entry: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    const imports = importsOf(file);
    found.set(
      file,
      imports.filter((name) => !name.startsWith(".")),
    );
    for (const name of imports) {
      if (name.startsWith(".")) visit(resolve(dirname(file), name));
      else if (isOurs(packageOf(name))) visit(builtFileOf(name));
    }
  };
  visit(join(PACKAGE, entries[entry]!.default));
  return found;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function isOurs(name: string): boolean {
  return name.startsWith("@toolrig/");
}

/** The built file of "@toolrig/json" or "@toolrig/json/kit". */
function builtFileOf(specifier: string): string {
  const folder = resolve(PACKAGE, "..", specifier.split("/")[1]!);
  const entry = `.${specifier.slice(packageOf(specifier).length)}`;
  return join(folder, manifest(folder).exports[entry]!.default);
}

/** The manifest of the package that a built file is of. */
function ownerOf(file: string): Manifest {
  return manifest(file.slice(0, file.indexOf("/dist/")));
}

test("the package has been built", () => {
  for (const { default: file } of Object.values(entries))
    expect(existsSync(join(PACKAGE, file)), `${file}: run npm run build`).toBe(true);
});

test.each(EVERYWHERE)(
  'nothing reachable from "%s" imports a module of Node, or a package that is not declared',
  (entry) => {
    const files = reachable(entry);
    expect(files.size).toBeGreaterThan(1);
    for (const [file, imports] of files) {
      for (const name of imports) {
        expect(name.startsWith("node:"), `${relative(PACKAGE, file)} imports ${name}`).toBe(false);
        const declared = Object.keys(ownerOf(file).dependencies ?? {});
        expect(declared, `${relative(PACKAGE, file)} imports ${name}`).toContain(packageOf(name));
      }
    }
  },
);

test("every declared dependency is used", () => {
  const used = new Set(
    Object.keys(entries).flatMap((entry) => [...reachable(entry).values()].flat().map(packageOf)),
  );
  expect([...used].sort()).toEqual(expect.arrayContaining(Object.keys(dependencies ?? {}).sort()));
});

test("the parts about text do not pull in the rest", () => {
  for (const entry of ["./json", "./extract"]) {
    const names = [...reachable(entry).keys()].map((file) => relative(PACKAGE, file));
    expect(names.filter((name) => /executor|registry|pipeline/.test(name))).toEqual([]);
  }
});

test.each([
  ["./json", "@toolrig/json", ["coerce"]],
  ["./extract", "@toolrig/extract", []],
])('"%s" exports every name of %s, and %j', async (entry, name, more) => {
  const alias: object = await import(join(PACKAGE, entries[entry]!.default));
  const own: object = await import(builtFileOf(name));
  expect(Object.keys(alias).sort()).toEqual([...Object.keys(own), ...more].sort());
});

test("the root exports exactly what is listed here", async () => {
  const root: object = await import(join(PACKAGE, entries["."]!.default));
  expect(Object.keys(root).sort()).toMatchInlineSnapshot(`
    [
      "ApprovalQueue",
      "EventStream",
      "Executor",
      "InformationFlow",
      "MemoryCallStore",
      "MemoryDescriptionStore",
      "MemoryEventLog",
      "MemoryJournal",
      "MemoryLedger",
      "POLICY_SCHEMA",
      "Redactor",
      "Registry",
      "ReplayCrash",
      "ToolFailure",
      "ToolrigError",
      "askUserTool",
      "breakerGuard",
      "budgetGuard",
      "checkPolicy",
      "coerce",
      "combineSources",
      "deferred",
      "denied",
      "explainPolicy",
      "failure",
      "fromAiSdk",
      "observed",
      "planFirst",
      "policyGuard",
      "protectedPaths",
      "readBeforeWrite",
      "readResultTool",
      "reconcileOpen",
      "recording",
      "registerTool",
      "repeatGuard",
      "replaying",
      "result",
      "success",
      "textOf",
      "toAiSdk",
      "toAnthropic",
      "toMcp",
      "toOpenAI",
      "toOpenAIResponses",
      "tool",
      "transient",
      "unavailable",
      "validation",
      "verifyAfterEffects",
      "withCapabilities",
    ]
  `);
});

/** What npm would install for a package: of ours its published files, of others all that their folder holds. */
function installedSizeOf(folder: string): number {
  const { name, files } = manifest(folder);
  if (!isOurs(name)) return sizeOf(folder);
  const published = files.filter((each) => !each.startsWith("!"));
  return published.reduce((sum, each) => sum + sizeOf(join(folder, each)), 0);
}

function sizeOf(path: string): number {
  const stat = statSync(path);
  if (stat.isFile()) return stat.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function folderOf(name: string, from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  throw new Error(`${name}, needed by ${from}, is not installed`);
}

function installed(folder: string, seen: Set<string>): Set<string> {
  for (const name of Object.keys(manifest(folder).dependencies ?? {})) {
    const dependency = folderOf(name, folder);
    if (seen.has(dependency)) continue;
    seen.add(dependency);
    installed(dependency, seen);
  }
  return seen;
}

test("installed with its dependencies it is under 5.25 MB", () => {
  const parts = [PACKAGE, ...installed(PACKAGE, new Set())].map((folder) => ({
    name: manifest(folder).name,
    bytes: installedSizeOf(folder),
  }));
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const figures = parts.map(({ name, bytes }) => `${name} ${(bytes / 1e6).toFixed(2)}`);
  console.log(`${figures.join(", ")}: ${(total / 1e6).toFixed(2)} MB in all`);
  expect(total).toBeLessThan(MAX_BYTES);
});
