import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { HANG_MS } from "./scripts/hang-limit.ts";
import { SuiteSummary } from "./scripts/suite-summary.ts";

/** The proofs take longest and begin first; nobody waits for them alone at the end. */
class ProofsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isProof = ({ moduleId }: TestSpecification) => moduleId.includes("/proofs/");
    return [...sorted.filter(isProof), ...sorted.filter((file) => !isProof(file))];
  }
}

export default defineConfig({
  resolve: { conditions: ["@toolrig/source"] },
  ssr: { resolve: { conditions: ["@toolrig/source"] } },
  test: {
    include: [
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
    ],
    globalSetup: ["scripts/test-needs.ts"],
    reporters: ["default", new SuiteSummary()],
    setupFiles: ["scripts/seed-properties.ts"],
    sequence: { sequencer: ProofsFirst },
    // Most of the time goes to waiting for servers and clocks, so that more files than cores can run at once.
    maxWorkers: 4,
    // Nothing depends on speed. A condition gets its limit before the test that waits for it, so that the report names the condition.
    expect: { poll: { timeout: HANG_MS } },
    testTimeout: 2 * HANG_MS,
    hookTimeout: 2 * HANG_MS,
  },
});
