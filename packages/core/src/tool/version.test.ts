import { expect, test } from "vitest";
import { isRange, isVersion, newestFirst, satisfies } from "./version.ts";

test.each([
  ["1.2.3", "*", true],
  ["1.2.3", "1", true],
  ["1.2.3", "1.x", true],
  ["1.2.3", "1.2", true],
  ["1.2.3", "1.2.*", true],
  ["1.3.0", "1.2", false],
  ["1.2.3", "v1.2.3", true],
  ["1.2.4", "=1.2.3", false],
  ["1.9.0", "^1.2", true],
  ["2.0.0", "^1.2", false],
  ["1.1.9", "^1.2", false],
  ["0.2.9", "^0.2.3", true],
  ["0.3.0", "^0.2.3", false],
  ["0.0.4", "^0.0.3", false],
  ["0.9.0", "^0", true],
  ["1.2.9", "~1.2.3", true],
  ["1.3.0", "~1.2.3", false],
  ["1.9.0", "~1", true],
  ["7.0.0", ">=1.2", true],
  ["1.1.9", ">=1.2", false],
  ["2.0.0-beta.1", ">=1.0.0", false],
  ["2.0.0-beta.2", ">=2.0.0-beta.1", true],
  ["2.0.0", "^2.0.0-beta.1", true],
  ["2.0.0", "2.0.0-beta.1", false],
  ["2.0.0-beta.2", "2.0.0-beta.1", false],
  ["2.0.0-beta.1", "2.0.0-beta.1", true],
])("%s in %s: %s", (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});

test("versions are ordered as numbers, releases above their pre-releases, none at the end", () => {
  const versions = [
    "1.0.0-alpha",
    "1.10.0",
    undefined,
    "1.0.0",
    "1.9.0",
    "1.0.0-alpha.2",
    "1.0.0-alpha.10",
    "1.0.0-1",
  ];
  expect(versions.sort(newestFirst)).toEqual([
    "1.10.0",
    "1.9.0",
    "1.0.0",
    "1.0.0-alpha.10",
    "1.0.0-alpha.2",
    "1.0.0-alpha",
    "1.0.0-1",
    undefined,
  ]);
});

test("what is no version or range is not taken for one", () => {
  expect(["1.2", "v1.2.3", "1.2.3.4", "", 1, null].filter(isVersion)).toEqual([]);
  expect(["latest", "<2", "1 || 2", ">=1 <2", "^^1", 1, null].filter(isRange)).toEqual([]);
  expect(isVersion("1.2.3-rc.1+build.5")).toBe(true);
});
