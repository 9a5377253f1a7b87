/** Before the first test: gets what the files that were asked for need, once, and not by each of those that run at the same time. */
import type { TestProject } from "vitest/node";
import { findChromium } from "./chromium.ts";
import { findProgram } from "./debian-program.ts";
import { filesUsedBy } from "./files-used-by.ts";
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

/** Options whose next word is their value, which could be a part of a path. */
const WITH_VALUE = /^(-t|--testNamePattern|--project|-c|--config|-r|--root|--dir|--reporter)$/;

/** Parts of paths that Vitest was told to run. */
function positionals(): string[] {
  const words = process.argv.slice(2);
  return words.filter(
    (word, at) => !word.startsWith("-") && word !== "run" && !WITH_VALUE.test(words[at - 1] ?? ""),
  );
}
