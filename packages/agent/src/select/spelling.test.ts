import { expect, test } from "vitest";
import { Spelling } from "./spelling.ts";

const spelling = new Spelling(
  "send mail weather forecast train raid calendar restaurant prescription read".split(" "),
);

test.each([
  ["wether", "weather"],
  ["sned", "send"],
  ["forcast", "forecast"],
  ["calender", "calendar"],
  ["resturant", "restaurant"],
  ["perscription", "prescription"],
  ["mial", "mail"],
])("%s is a misspelling of %s", (wrong, right) => {
  expect(spelling.nearest(wrong)).toEqual([right]);
});

test.each(["rain", "cab", "42", "", "elephant", "x".repeat(1_000_000)])("%.10s is none", (word) => {
  expect(spelling.nearest(word).filter((each) => each !== "raid")).toEqual([]);
});

test("all that are equally near are found, in the same order every time", () => {
  expect(spelling.nearest("reid")).toEqual(spelling.nearest("reid"));
  expect(new Set(spelling.nearest("reid"))).toEqual(new Set(["raid", "read"]));
});
