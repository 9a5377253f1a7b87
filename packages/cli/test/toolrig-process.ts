import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const packages = join(import.meta.dirname, "..", "..");
const main = join(packages, "cli", "src", "main.ts");

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  input?: string;
  env?: Record<string, string>;
}

/** Starts the real command. Its standard input stays open. */
export function start(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return program(main, args, options);
}

function program(
  file: string,
  args: readonly string[],
  { cwd = tmpdir(), env = {} }: RunOptions,
): ChildProcess {
  return spawn(process.execPath, ["--conditions=@toolrig/source", file, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"), ...env },
  });
}

/** Runs commands that read no input in one process, which costs little more than one of them. */
export async function inTurn(
  commands: readonly (readonly string[])[],
  options: RunOptions = {},
): Promise<Outcome[]> {
  // The real command keeps Node's warnings to itself, too.
  const env = { NODE_NO_WARNINGS: "1", ...options.env };
  const child = program(fileURLToPath(new URL("./in-turn.ts", import.meta.url)), [], { ...options, env });
  child.stdin!.end(JSON.stringify(commands));
  const { code, stdout, stderr } = await finished(child);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Runs the real command to its end. */
export async function toolrig(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options);
  child.stdin!.on("error", () => {});
  child.stdin!.end(options.input ?? "");
  return finished(child);
}

export async function finished(child: ChildProcess): Promise<Outcome> {
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { code: await ended, stdout, stderr };
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own with these files, in which `toolrig` and `@toolrig/core` are installed. */
export function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-"));
  folders.push(folder);
  mkdirSync(join(folder, "node_modules", "@toolrig"), { recursive: true });
  symlinkSync(join(packages, "cli"), join(folder, "node_modules", "toolrig"));
  symlinkSync(join(packages, "core"), join(folder, "node_modules", "@toolrig", "core"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A config module that defines the given tools. */
export function configOf(tools: string, settings = ""): string {
  return `
    import { defineConfig, denied, result, tool, transient, unavailable } from "toolrig";
    const any = { type: "object" };
    const safe = { sideEffects: "none", idempotent: true } as const;
    export default defineConfig({ tools: [${tools}], ${settings} });
  `;
}
