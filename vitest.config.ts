import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@toolrig/source"] },
  ssr: { resolve: { conditions: ["@toolrig/source"] } },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "proofs/*.test.ts",
      "docs/**/*.test.ts",
    ],
    setupFiles: ["scripts/seed-properties.ts"],
    testTimeout: 60_000,
    // A hook may start three servers, also on a machine that is busy.
    hookTimeout: 120_000,
    // Nothing depends on speed: what is waited for may take as long as a busy machine does.
    expect: { poll: { timeout: 30_000 } },
  },
});
