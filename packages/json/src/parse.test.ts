import { describe, expect, test } from "vitest";
import { LimitError } from "./limits.ts";
import { parseAt } from "./parse.ts";

describe("one value inside a longer text", () => {
  test("ends where the value does, whatever its strings hold", () => {
    const text = '<tool_call>{"a": "</tool_call>", "b": {"c": "}"}}</tool_call> and more {"x": 1}';
    const parsed = parseAt(text, "<tool_call>".length);
    expect(parsed).toMatchObject({
      value: { a: "</tool_call>", b: { c: "}" } },
      complete: true,
      repairs: [],
    });
    expect(text.slice(parsed.end)).toBe('</tool_call> and more {"x": 1}');
  });

  test.each([
    ["{'a': 1,} tail", { a: 1 }, " tail"],
    ["  [1, 2]]", [1, 2], "]"],
    ['"a" rest', 'a" rest', ""],
    ['"a", "b"', "a", ', "b"'],
    ['"a")', "a", ")"],
    ["12, 13", 12, ", 13"],
    ['{"a": 1}, "b": 2}', { a: 1 }, ', "b": 2}'],
    ["True)", "True)", ""],
  ])("leaves alone what follows: %s", (text, value, rest) => {
    const parsed = parseAt(text, 0);
    expect(parsed.value).toEqual(value);
    expect(text.slice(parsed.end)).toBe(rest);
  });

  test("looks at nothing before the start", () => {
    expect(parseAt('"{[(\\{"a": 1}', 5)).toMatchObject({ value: { a: 1 }, complete: true, repairs: [] });
  });

  test("reports positions in the whole text", () => {
    expect(parseAt("xxxx{a: 1}", 4).repairs).toEqual([
      { kind: "unquoted-key", degree: "exact", position: 5, before: "a", after: '"a"' },
    ]);
  });

  test.each([
    ['{"a": [1, {"b": "c', { a: [1, { b: "c" }] }],
    ['{"a": 1', { a: 1 }],
    ["[1, 2", [1, 2]],
    ["", undefined],
    ["   ", undefined],
  ])("is incomplete when the text ends inside it: %s", (text, value) => {
    expect(parseAt(text, 0)).toMatchObject({ complete: false, end: text.length });
    expect(parseAt(text, 0).value).toEqual(value);
  });
});

describe("a stop ends an unfinished value", () => {
  const stops = ["</tool_call>", "<|end|>"];

  test.each([
    ['{"a": 1</tool_call> more', { a: 1 }],
    ['{"a": [1, 2</tool_call> more', { a: [1, 2] }],
    ['{"a": "b"</tool_call> more', { a: "b" }],
    ['{"a": "b<|end|> more', { a: "b" }],
    ['{"a": b</tool_call> more', { a: "b" }],
    ['{"a":</tool_call> more', {}],
    ['{"a": 1,</tool_call> more', { a: 1 }],
    ['{"a"<|end|> more', {}],
    ["{</tool_call> more", {}],
  ])("outside strings, or in one that has no end: %s", (text, value) => {
    const parsed = parseAt(text, 0, { stops });
    expect(parsed.value).toEqual(value);
    expect(parsed.complete).toBe(false);
    expect(text.slice(parsed.end)).toMatch(/^(<\/tool_call>|<\|end\|>) more$/);
  });

  test("but not inside one that has", () => {
    expect(parseAt('{"a": "<|end|></tool_call>"}', 0, { stops })).toMatchObject({
      value: { a: "<|end|></tool_call>" },
      complete: true,
    });
  });
});

test("nesting costs no stack, and a limit is a LimitError", () => {
  const text = "[".repeat(200_000);
  expect(() => parseAt(text, 0)).toThrow(LimitError);
  expect(parseAt(text, 0, { maxDepth: 200_000 })).toMatchObject({ complete: false, end: 200_000 });
  expect(parseAt(`${'{"a":'.repeat(999)}1${"}".repeat(999)}`, 0)).toMatchObject({
    complete: true,
    repairs: [],
  });
});
