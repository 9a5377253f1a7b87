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
])("%s against %s", (text, pattern, matches) => {
  expect(matchesGlob(text, pattern)).toBe(matches);
});

test("many wildcards against long text end at once", () => {
  expect(matchesGlob("a".repeat(5_000), `${"*a".repeat(30)}b`)).toBe(false);
});
