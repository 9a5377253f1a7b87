import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CrashPoint } from "./crash-points.ts";

/**
 * What is run, killed and run again. It must do the same each time it starts with the same data, as a program does
 * that picks up where it was; its answer is plain data.
 */
export type CrashScenario = (context: {
  /** Kept from one start to the next: where its database and its effects are. */
  folder: string;
  /** Marks a stage. The process may end here. */
  point: CrashPoint;
  /** What `crash` was given. */
  given: unknown;
}) => unknown;

export interface CrashOptions {
  /** The file that exports the scenario: `import.meta.filename`, or a file URL. */
  module: string | URL;
  /** The name under which it is exported. Default "scenario". */
  name?: string;
  given?: unknown;
  /** Options of the child's `node`. Default: those of this process. */
  execArgv?: readonly string[];
  /** A start that takes longer has failed. Default 600,000. */
  timeoutMs?: number;
}

/** What the child runs: the source where the sources are run, else what was built from it. */
const CHILD_SOURCE = new URL("./crash-child.ts", import.meta.url);
const CHILD = new URL("./crash-child.js", import.meta.url);

/** One start of a scenario. */
export interface CrashStart {
  /** The stages it passed, in order. The last one is where it was killed, if it was. */
  stages: string[];
  killed: boolean;
  /** What it answered; absent when it was killed. */
  answer?: unknown;
}

/** A scenario with a folder of its own. */
export interface CrashSite {
  readonly folder: string;
  /** Starts it, kills it at its `dieAt`th stage (from 1), and tells what happened. Without, it runs to its end. */
  start(dieAt?: number): Promise<CrashStart>;
  /** Removes the folder. */
  remove(): void;
}

export function crashSite(options: CrashOptions): CrashSite {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-crash-"));
  return {
    folder,
    start: (dieAt = 0) => start(options, folder, dieAt),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One line of a crash matrix. */
export interface CrashCase {
  /** Where it was killed. */
  stage: string;
  /** Which stage that was, from 1. */
  index: number;
  /** The start that followed and ran to its end. */
  restart: CrashStart;
  /** The folder as it was left, until `check` returns. */
  folder: string;
}

/**
 * Runs a scenario once to learn its stages; then, for each of them, runs it afresh, kills it there with SIGKILL,
 * starts it again and hands the outcome to `check`. What `check` throws is thrown.
 */
export async function crashEverywhere(
  options: CrashOptions,
  check: (each: CrashCase) => void | Promise<void>,
): Promise<string[]> {
  const stages = await withSite(options, async (site) => (await site.start()).stages);
  for (const [position, stage] of stages.entries()) {
    await withSite(options, async (site) => {
      const index = position + 1;
      const first = await site.start(index);
      if (!first.killed || first.stages.at(-1) !== stage) {
        const passed = first.stages.at(-1) ?? "nothing";
        throw new Error(
          `The scenario is not the same each time: stage ${index} was "${stage}", now "${passed}".`,
        );
      }
      await check({ stage, index, restart: await site.start(), folder: site.folder });
    });
  }
  return stages;
}

async function withSite<T>(options: CrashOptions, work: (site: CrashSite) => Promise<T>): Promise<T> {
  const site = crashSite(options);
  try {
    return await work(site);
  } finally {
    site.remove();
  }
}

async function start(options: CrashOptions, folder: string, dieAt: number): Promise<CrashStart> {
  const {
    module,
    name = "scenario",
    given = null,
    execArgv = process.execArgv,
    timeoutMs = 600_000,
  } = options;
  const path = module instanceof URL || module.startsWith("file:") ? fileURLToPath(module) : module;
  const entry = fileURLToPath(import.meta.url.endsWith(".ts") ? CHILD_SOURCE : CHILD);
  const answerFile = join(folder, ".answer");
  const stagesFile = join(folder, ".stages");
  for (const file of [answerFile, stagesFile]) rmSync(file, { force: true });
  const arguments_ = [...execArgv, entry, path, name, folder, String(dieAt), JSON.stringify(given)];
  const { code, signal, stderr } = await ended(process.execPath, arguments_, timeoutMs);
  const stages = existsSync(stagesFile)
    ? readFileSync(stagesFile, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as string)
    : [];
  const killed = signal === "SIGKILL" && dieAt > 0 && stages.length === dieAt;
  if (killed) return { stages, killed };
  if (code === 0) return { stages, killed, answer: JSON.parse(readFileSync(answerFile, "utf8")) };
  throw new Error(
    `The scenario ended with ${signal ?? `exit code ${code}`} after ${stages.length} stages.\n${stderr}`,
  );
}

function ended(
  command: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    // A scenario is started many times, and most of a start is compiling.
    const env = { NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"), ...process.env };
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], env });
    const timer = setTimeout(() => child.kill("SIGTERM"), timeoutMs);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-4_000);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stderr });
    });
  });
}
