import { expect, test } from "vitest";
import { speltOut } from "./spelt-out.ts";

test.each([
  ["to\u202eelpmaxe", "to\\u{202e}elpmaxe"],
  ["a\u2066b\u2069", "a\\u{2066}b\\u{2069}"],
  ["a\u200bb\ufeffc\u00add", "a\\u{200b}b\\u{feff}c\\u{ad}d"],
  ["\u001b[2J\u009b1m\u007f", "\\u{1b}[2J\\u{9b}1m\\u{7f}"],
  ["a\u00a0b\u2003c\u3164d\u2800", "a\\u{a0}b\\u{2003}c\\u{3164}d\\u{2800}"],
  ["a\u{e0041}b\ud800", "a\\u{e0041}b\\u{d800}"],
  ["two words\nin two lines: äß日本 🎉", "two words\nin two lines: äß日本 🎉"],
])("%j is shown as %j", (text, shown) => {
  expect(speltOut(text)).toBe(shown);
});

test.each([
  ["a\u202eb\u{e0041}\u001b[2J", "a\\u{202e}b\\u{e0041}\\u{1b}[2J"],
  ["a\u00a0b\tc\r\nd\u00ade\u200df", "a\u00a0b\tc\r\nd\u00ade\u200df"],
])("of long text %j is shown as %j", (text, shown) => {
  expect(speltOut(text, "steering")).toBe(shown);
});
