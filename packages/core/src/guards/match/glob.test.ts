import { expect, test } from "vitest";
import { matchesGlob } from "./glob.ts";

test.each([
  ["read_file", "read_file", true],
  ["read_file", "read_*", true],
  ["read_file", "*", true],
  ["read_file", "write_*", false],
  ["a/b", "*", false],
  ["a/b/c", "a/**", true],
  ["a/b/c", "**/c", true],
  ["", "*", true],
  ["", "a", false],
  ["aXbXc", "a*b*c", true],
  ["aXbXd", "a*b*c", false],
  ["a.b", "a?b", false],
  [".env", "**/.env", true],
  ["a/b/.env", "**/.env", true],
  ["x.env", "**/.env", false],
  ["a/z", "a/**/z", true],
  ["a/b/c/z", "a/**/z", true],
  ["az", "a/**/z", false],
  ["\u{1f600}/x", "\u{1f600}/*", true],
])("%s against %s", (text, pattern, matches) => {
  expect(matchesGlob(text, pattern)).toBe(matches);
});

test("many wildcards against long text end at once", () => {
  expect(matchesGlob("a".repeat(5_000), `${"*a".repeat(30)}b`)).toBe(false);
});
