import { expect, test } from "vitest";
import { canonicalJson, hashText, isJsonValue } from "./canonical.ts";

test("values that mean the same give the same text, at every depth", () => {
  expect(canonicalJson({ b: { d: 1, c: [{ y: 1, x: 2 }] }, a: 0 })).toBe(
    '{"a":0,"b":{"c":[{"x":2,"y":1}],"d":1}}',
  );
  expect(canonicalJson({ 10: 1, 9: 2, a: 3 })).toBe(canonicalJson({ a: 3, 9: 2, 10: 1 }));
});

test("what holds objects and what holds none are written alike", () => {
  const parts: unknown[] = [
    { b: 1, a: "ä", c: undefined },
    ["b", "a"],
    { b: 1, a: null },
    new Date(0),
    "x",
    7,
  ];
  for (const part of parts) expect(canonicalJson([part])).toBe(`[${canonicalJson(part)}]`);
});

test("a key called __proto__ is a key like any other", () => {
  const value = JSON.parse('{"b":1,"__proto__":{"polluted":true}}');
  expect(JSON.parse(canonicalJson(value))).toEqual(value);
  expect(canonicalJson(value)).toContain("polluted");
});

test("only what JSON can tell apart is a JSON value", () => {
  class Point {
    x = 1;
  }
  expect(
    [null, 1, "a", true, [1, { a: [] }], {}, Object.create(null), { a: undefined }].every((value) =>
      isJsonValue(value),
    ),
  ).toBe(true);
  expect(
    [1n, Number.NaN, undefined, new Map(), new Point(), [new Set()], { at: new Date() }, () => 1].some(
      (value) => isJsonValue(value),
    ),
  ).toBe(false);
});

test("hashes differ for texts that differ", () => {
  const hashes = new Set(Array.from({ length: 10_000 }, (_, index) => hashText(`text ${index}`)));
  expect(hashes.size).toBe(10_000);
});
