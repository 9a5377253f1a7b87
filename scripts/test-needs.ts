/** Before the first test: gets what the files that were asked for need, once, and not by each of those that run at the same time. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { TestProject } from "vitest/node";
import { findChromium } from "./chromium.ts";
import { findProgram } from "./debian-program.ts";
import { installPeers } from "./interop-peers.ts";
import { natsServer } from "./nats-server.ts";

interface Need {
  /** A file that uses it, as a path from the root. */
  usedBy: RegExp;
  get(): unknown;
}

const NEEDS: readonly Need[] = [
  { usedBy: /^scripts\/nats-server\.ts$/, get: natsServer },
  { usedBy: /^scripts\/chromium\.ts$/, get: findChromium },
  {
    usedBy: /^(packages\/interop\/(peers\/|src\/langchain\/)|proofs\/interop\.ts)/,
    get: () => installPeers(console.error),
  },
  {
    usedBy: /^packages\/toolkit\/src\/search\/search\.test\.ts$/,
    get: () => findProgram({ names: ["rg"], debian: "ripgrep", neededBy: "Tests of grep" }),
  },
  ...["zsh", "fish"].map((shell) => ({
    usedBy: /^packages\/cli\/src\/commands\/completion\.test\.ts$/,
    get: () => findProgram({ names: [shell], debian: shell, neededBy: `Tests of completion in ${shell}` }),
  })),
];

const root = join(import.meta.dirname, "..");

export async function setup(project: TestProject): Promise<void> {
  const { testFiles: asked } = await project.globTestFiles(positionals());
  const { testFiles: all } = await project.globTestFiles();
  const used = filesUsedBy(asked.length > 0 ? asked : all);
  for (const { usedBy, get } of NEEDS) {
    if (!used.some((file) => usedBy.test(file))) continue;
    // Tests that need what is missing are skipped or say so themselves; the others do without.
    try {
      get();
    } catch (error) {
      console.error(`Not shown here: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** What Vitest was told to run, by parts of paths. The value of an option may be among them: it matches no file. */
function positionals(): string[] {
  return process.argv.slice(2).filter((word) => !word.startsWith("-") && word !== "run");
}

/** The files that tests are made of, from the root: those that they import by a path, and so on. */
export function filesUsedBy(tests: readonly string[]): string[] {
  const seen = new Set<string>();
  const pending = [...tests];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    pending.push(...importsOf(file));
  }
  return [...seen].map((file) => relative(root, file).replaceAll("\\", "/"));
}

const IMPORT = /(?:from|import|import\()\s*"(\.{1,2}\/[^"]+\.ts)"/g;

function importsOf(file: string): string[] {
  // A proof is loaded by its name.
  if (file.endsWith("proofs/load-proof.ts"))
    return globSync("*.ts", { cwd: dirname(file) }).map((name) => join(dirname(file), name));
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(IMPORT), ([, path = ""]) => join(dirname(file), path));
}
