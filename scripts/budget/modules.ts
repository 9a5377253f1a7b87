/** How many modules an entry loads, from sources: the same number on every machine, however busy. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const packages = join(import.meta.dirname, "..", "..", "packages");
const command = join(packages, "cli", "src", "main.ts");

/** A program for each entry of the table: what Node is told behind its own options. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "@toolrig/core": importing("core"),
  "@toolrig/agent": importing("agent"),
  "@toolrig/mcp/client": importing("mcp", "client.ts"),
  toolrig: importing("cli"),
  "toolrig --version": [command, "--version"],
  "toolrig --help": [command, "--help"],
  "toolrig tools": [command, "tools"],
  "toolrig call": [command, "call", "list_dir", '{"path":"."}'],
};

export const entries: readonly string[] = Object.keys(PROGRAMS);

function importing(name: string, file = "index.ts"): string[] {
  const url = pathToFileURL(join(packages, name, "src", file));
  return ["--input-type=module", "--eval", `await import(${JSON.stringify(url.href)});`];
}

/** Rejects when the program fails. It runs in an empty folder, where commands find no config. */
export async function modulesOf(entry: string): Promise<number> {
  const program = PROGRAMS[entry];
  if (program === undefined) throw new Error(`There is no entry "${entry}". Entries: ${entries.join(", ")}.`);
  const folder = mkdtempSync(join(tmpdir(), "toolrig-budget-"));
  const into = join(folder, "count");
  const hook = pathToFileURL(join(import.meta.dirname, "count-modules.ts")).href;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"),
    COUNT_INTO: into,
  };
  try {
    const args = ["--no-warnings", "--conditions=@toolrig/source", "--import", hook, ...program];
    await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    return Number(readFileSync(into, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
