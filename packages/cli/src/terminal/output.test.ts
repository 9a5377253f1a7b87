import { afterEach, expect, test } from "vitest";
import { jsonText, visible } from "./output.ts";

const isTTY = process.stdout.isTTY;
afterEach(() => {
  process.stdout.isTTY = isTTY;
});

const TRICKS = [
  "\x1b]0;x\x07",
  "\x9b2J",
  "\x7f",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u2028",
  "\u200b",
  "\ufeff",
  "\u{e0041}",
];

test.each(TRICKS)("what steers or hides is made visible: %j", (trick) => {
  const shown = visible(`a${trick}b`);
  expect(shown).not.toContain(trick);
  expect(visible(shown)).toBe(shown);
});

test.each(TRICKS)("JSON has it escaped, also for programs, and means the same: %j", (trick) => {
  process.stdout.isTTY = false;
  const json = jsonText({ [`k${trick}`]: `v${trick}` }, 2);
  expect(visible(json)).toBe(json);
  expect(JSON.parse(json)).toEqual({ [`k${trick}`]: `v${trick}` });
});

test("what people write in stays as it is", () => {
  const text = "naïve 日本 👩‍👩‍👧 مرحبا\tclean\n";
  expect(visible(text)).toBe(text);
});
