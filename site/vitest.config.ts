import { defineConfig } from "vitest/config";

/** `npm run docs -- --check`: tests that need the website built, apart from the others because of what that takes. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
