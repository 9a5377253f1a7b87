/** Tests wait for conditions. How long they may is said once, in vitest.config.ts: a limit of its own fails a test on a busy machine. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const files = globSync("{packages,apps,proofs,docs,scripts,bench,examples,site}/**/*.test.ts", {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
});

/** An example of each, and its replacement. */
const RULES: readonly [RegExp, string][] = [
  [/\bvi\.wait(For|Until)\(/, "expect.poll, which has the limit of all tests"],
  [/\.poll\([^;]*\{[^}]*\btimeout:/, "expect.poll without a timeout"],
  [/^\s*\}, [\d_]{4,}\);$/m, "a test or hook without a timeout"],
  [/\b(?:test|describe)[\w.]*\([^;{]*\{ timeout: [\d_]+/, "a test without a timeout"],
  [/expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess/, "a condition, or growth() for work"],
];

test.each(RULES)("no test has %s", (pattern, instead) => {
  const found = files.filter((file) => pattern.test(readFileSync(join(root, file), "utf8")));
  expect(found, `write ${instead}`).toEqual([]);
});

test("there are tests to look at", () => {
  expect(files.length).toBeGreaterThan(300);
});
