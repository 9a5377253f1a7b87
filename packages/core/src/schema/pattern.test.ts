import { describe, expect, test } from "vitest";
import { matcherFor } from "./pattern.ts";

function engine(source: string, trusted = false): "native" | "re2" {
  return matcherFor(source, trusted, "#").native ? "native" : "re2";
}

describe("the native engine runs what is shown to be linear", () => {
  test.each([
    "^[a-z0-9-]+$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^[A-Z]{2}\\d*$",
    "abc|def",
    "^(foo|bar)$",
    "^https?://[^\\s]+$",
    "^.{1,5000}$",
    "^#[0-9a-f]{6}([0-9a-f]{2})?$",
    "^[\\s\\S]*$",
    "",
  ])("%s", (source) => {
    expect(engine(source)).toBe("native");
  });
});

describe("RE2 runs what might not be", () => {
  test.each([
    "^(a+)+$",
    "(a|a)*",
    "a+b",
    "\\d+\\d+",
    "^.*x.*$",
    "^a|b+$",
    "^[a-z]+(-[a-z]+)*$",
    "^(a{1,10}){5}$",
    "^(?:a?){30}$",
    "(a?)(a?)(a?)(a?)(a?)(a?)(a?)(a?)(a?)a",
  ])("%s", (source) => {
    expect(engine(source)).toBe("re2");
    expect(engine(source, true)).toBe("re2");
  });
});

test.each([
  ["^[a-z]+(-[a-z]+)*$", ["a", "a-b", "ab-cd-e"], ["", "-", "a-", "A", "a--b", "a\n"]],
  ["(foo|ba+r)\\s*\\d{2,}", ["foo 12", "xbaar345y"], ["foo 1", "br 12"]],
  ["^\\w+([.-]?\\w+)*@\\w+([.-]?\\w+)*$", ["a@b", "a.b@c-d"], ["a", "@b", "a@b@c"]],
  ["^(\\p{L}+ ?)+$", ["é a", "ß"], ["1"]],
  ["^(\\u0041+|\\x42*)+$", ["AB", ""], ["C"]],
  ["^([^/]+/)*[^/]*$", ["a/b/c", "a"], ["//"]],
])("RE2 answers as the native engine does: %s", (source, good, bad) => {
  const matcher = matcherFor(source, false, "#");
  expect(matcher.native).toBe(false);
  const native = new RegExp(source, "u");
  for (const text of [...good, ...bad]) expect(matcher.test(text), text).toBe(native.test(text));
  for (const text of good) expect(matcher.test(text), text).toBe(true);
  for (const text of bad) expect(matcher.test(text), text).toBe(false);
});

test("a long text that could take the native engine too long runs on RE2", () => {
  const matcher = matcherFor("[a-z]{3,20}!", false, "#");
  expect(matcher.native).toBe(true);
  expect(matcher.test(`${"a".repeat(300_000)}!`)).toBe(true);
  expect(matcher.test("a".repeat(300_000))).toBe(false);
  expect(() => matcher.test("a".repeat(3_000_000))).toThrow("too long");
});

test("look-around and back-references run natively in a trusted schema only", () => {
  for (const source of ["^(?=.*\\d).+$", "^(.)\\1$", "(?<!a)b"]) {
    expect(engine(source, true)).toBe("native");
    expect(() => engine(source)).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
  }
});

test("a pattern that Python knows and JavaScript does not is accepted from outside", () => {
  expect(matcherFor("(?i)^abc$", false, "#").test("ABC")).toBe(true);
  expect(matcherFor("^(?P<year>\\d+)$", false, "#").test("2024")).toBe(true);
  expect(() => matcherFor("(?i)^abc$", true, "#")).toThrow("invalid regular expression");
});

test("a broken pattern is refused, naming the place and the pattern", () => {
  expect(() => matcherFor("(", false, "#/properties/a/pattern")).toThrow(/#\/properties\/a\/pattern .*"\("/);
});
