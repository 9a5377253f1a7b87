import { expect, test } from "vitest";
import { occurrences } from "./occurrences.ts";

test.each([
  ["abcabcab", "abc"],
  ["aaaa", "aa"],
  [`${"ab".repeat(60)}c`, "ab".repeat(40)],
  [`${"a".repeat(200)}b`, `${"a".repeat(70)}b`],
  ["x".repeat(100), "y".repeat(70)],
])("%j holds %j where the platform finds it", (text, wanted) => {
  const expected: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) expected.push(at);
  expect([...occurrences(text, wanted)]).toEqual(expected);
});

/** How many characters are looked at. */
function looks(text: string, wanted: string): number {
  const original = String.prototype.charCodeAt;
  let count = 0;
  String.prototype.charCodeAt = function (this: string, index: number) {
    count += 1;
    return original.call(this, index);
  };
  try {
    for (const _ of occurrences(text, wanted));
  } finally {
    String.prototype.charCodeAt = original;
  }
  return count;
}

test.each<[what: string, text: string, wanted: (size: number) => string]>([
  ["one letter", "a", (size) => `${"a".repeat(size)}b`],
  ["the other way round", "a", (size) => `b${"a".repeat(size)}`],
  ["two letters", "ab", (size) => `${"ab".repeat(size / 2)}c`],
])("no text makes the search look at it again and again: %s", (_what, letters, wanted) => {
  const cost = (size: number) => looks(letters.repeat((4 * size) / letters.length), wanted(size));
  expect(cost(10_000)).toBeGreaterThan(10_000);
  expect(cost(20_000) / cost(10_000)).toBeLessThan(2.1);
});
