import { expect, test } from "vitest";
import { growth, LINEAR } from "../../../../scripts/growth.ts";
import { cleanLine, cleanText } from "./clean-text.ts";

test.each([
  ["plain text, tabs\tand\nlines", "plain text, tabs\tand\nlines", 0],
  ["\x1b[31mred\x1b[0m", "red", 9],
  ["\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link", 23],
  ["\x9b2Jgone", "gone", 3],
  ["left\u202eright\u2066.", "leftright.", 2],
  ["a\u200bb\u2060c\ufeffd\u00ade", "abcde", 4],
  ["tag\u{e0001}\u{e0069}\u{e006e}", "tag", 3],
  ["bytes\u{e0100}\u{e01ef}\ufe01", "bytes", 3],
  ["over\rwritten\r\nline", "overwritten\nline", 1],
  ["half \ud800 character", "half  character", 1],
  ["blank\u2800\u3164\u115f", "blank", 3],
  ["family 👩‍👩‍👧‍👦 and ❤️ and 1️⃣", "family 👩‍👩‍👧‍👦 and ❤️ and 1️⃣", 0],
  ["नमस्\u200dते", "नमस्\u200dते", 0],
  ["a\u200db", "ab", 1],
  ["two\u2028lines", "two\nlines", 0],
  ["no\u00a0break", "no break", 0],
])("%j", (given, text, removed) => {
  expect(cleanText(given)).toEqual({ text, removed });
});

test("a name in a message is one line of bounded length", () => {
  expect(cleanLine("a\n\x1b[2Jb  c", 10)).toBe("a b c");
  expect(cleanLine("x".repeat(100), 10)).toBe(`${"x".repeat(9)}…`);
});

test("it takes time in proportion to the length", () => {
  for (const unit of ["\x1b[", "\x1b]0;", "\u200d", "👩\u200d", "\x1b]\x1b", "\u202e"])
    expect(
      growth(6_000, (size) => cleanText(unit.repeat(size))),
      JSON.stringify(unit),
    ).toBeLessThan(LINEAR);
});
