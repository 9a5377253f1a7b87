import { globSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { HANG_MS } from "./scripts/hang-limit.ts";
import { SuiteSummary } from "./scripts/suite-summary.ts";

/** Files that take longest begin first, however small their text is: none of them is left to run alone at the end. */
const LONGEST = /\/(proofs|docs|examples|packages\/cli\/src\/commands)\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const takesLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(takesLong), ...sorted.filter((file) => !takesLong(file))];
  }
}

const TESTS = [
  "apps/*/src/**/*.test.ts",
  "apps/*/test/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "packages/interop/peers/*.test.ts",
  "proofs/*.test.ts",
  "docs/**/*.test.ts",
  "bench/*.test.ts",
  "scripts/**/*.test.ts",
  "examples/*.test.ts",
];

const PROOFS = ["proofs/quick-rest-*.test.ts"];
const NEEDS = ["scripts/test-needs.ts"];

/** Where most tests need neither processes nor servers: half of their time would be loading the same modules for each file. */
const LIGHT = ["packages/{json,extract,core,agent,interop,store,mcp,server}/src/**/*.test.ts"];
/** What the files of a process share: a file that changes it has a process of its own. */
const SHARED_STATE =
  /vi\.(mock|doMock|stubGlobal|stubEnv|useFakeTimers|spyOn)|process\.(env|chdir|on|memoryUsage)\b|globalThis|\.prototype\.\w+ =|registerTool|setFlagsFromString/;

const together = globSync(LIGHT, { cwd: import.meta.dirname }).filter(
  (file) => !SHARED_STATE.test(readFileSync(join(import.meta.dirname, file), "utf8")),
);

export default defineConfig({
  resolve: { conditions: ["@toolrig/source"] },
  ssr: { resolve: { conditions: ["@toolrig/source"] } },
  test: {
    projects: [
      // Pure code: one process for many files.
      { extends: true, test: { name: "units", include: together, isolate: false, globalSetup: NEEDS } },
      // A process for each file: servers, child processes, browsers, and what changes state that files share.
      {
        extends: true,
        test: {
          name: "systems",
          include: TESTS,
          exclude: ["**/node_modules/**", ...together, ...PROOFS],
          globalSetup: NEEDS,
        },
      },
      // Quick proofs that `npm test` leaves out.
      { extends: true, test: { name: "proofs", include: PROOFS, globalSetup: NEEDS } },
    ],
    reporters: ["default", new SuiteSummary()],
    setupFiles: ["scripts/seed-properties.ts"],
    sequence: { sequencer: LongestFirst },
    // Processes that tests start compile the same modules.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache") },
    // More than half of the time of a file goes to waiting for servers, disks and clocks, so that more files than cores run at once.
    maxWorkers: Math.max(8, availableParallelism()),
    // Concurrent tests start processes: no more of them than the memory of a small machine holds.
    maxConcurrency: 3,
    // Nothing depends on speed. A condition gets its limit before the test that waits for it, so that the report names the condition.
    expect: { poll: { timeout: HANG_MS } },
    testTimeout: 2 * HANG_MS,
    hookTimeout: 2 * HANG_MS,
  },
});
