import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrict, type StrictOptions } from "./parse-strict.ts";

const read = (text: string, more: Partial<StrictOptions> = {}) =>
  parseStrict(text, { subject: "The text", ...more });

function parse(text: string, more?: Partial<StrictOptions>): unknown {
  const parsed = read(text, more);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

function problemOf(text: string, more?: Partial<StrictOptions>): string | undefined {
  const parsed = read(text, more);
  return parsed.ok ? undefined : parsed.problem;
}

describe("names", () => {
  test.each([
    ['{"a":1,"a":2}', "a"],
    ['{"b":{},"n\\u0061me" \n :1,"name":2}', "name"],
    ['[{"x":["name",{"\\"":1}]},{"name":1,"other":2,"name":1}]', "name"],
    ['{"":1,"":1}', ""],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"\\\\":1,"\\u005c":2}', "\\"],
  ])("%s has one twice in one object", (text, name) => {
    expect(() => parse(text)).toThrow(`The text has ${JSON.stringify(name)} twice in one object.`);
  });

  test("that are alike in different objects, and marks in texts, are nothing special", () => {
    const value = { amount: 1, name: 'a:"b":{"c":1}\\', other: { name: [":", "\\", '\\"', { name: ":" }] } };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  test("__proto__ is a name like any other, unless it is refused", () => {
    expect(Object.keys(parse('{"__proto__":1}') as object)).toEqual(["__proto__"]);
    expect(problemOf('{"a":[{"__pro\\u0074o__":1}]}', { withoutProto: true })).toBe("proto");
  });
});

describe("numbers", () => {
  test.each(["9007199254740993", "-9007199254740993", "9007199254740993e0", "9007199254740993.0", "1e999"])(
    "%s would become another, and is refused",
    (number) => {
      expect(problemOf(number)).toBe("inexact-number");
      expect(problemOf(`{"a":[${number}]}`)).toBe("inexact-number");
    },
  );

  test.each(["9007199254740992", "123456789012345680000", "1e21", "-0", "0.1234567890123456789", "-12"])(
    "%s is kept",
    (number) => {
      expect(parse(`[${number}]`)).toEqual([Number(number)]);
    },
  );

  test("a fraction of a million zeros takes time in proportion to its length", () => {
    expect(problemOf(`[100000000000000000000.${"0".repeat(1_000_000)}1]`)).toBe("inexact-number");
    expect(parse(`[100000000000000000000.${"0".repeat(1_000_000)}]`)).toEqual([1e20]);
  });

  test("the message says what to do", () => {
    expect(() => parse("[9007199254740993]")).toThrow(
      "The text has the number 9007199254740993, which would become 9007199254740992. Send it as a string.",
    );
  });
});

test("a text that is not JSON, or nested too deeply, is refused", () => {
  expect(problemOf("{")).toBe("syntax");
  expect(problemOf("{a:1}")).toBe("syntax");
  expect(problemOf("[[[]]]", { maxDepth: 2 })).toBe("too-deep");
  expect(parse("[[[]]]", { maxDepth: 3 })).toEqual([[[]]]);
});

test("a text of any depth is read, and looked at as carefully", () => {
  const deep = (inner: string) => `${'{"a":'.repeat(50_000)}${inner}${"}".repeat(50_000)}`;
  expect(problemOf(deep("1"))).toBeUndefined();
  expect(problemOf(deep('{"b":1,"b":1}'))).toBe("repeated-name");
  expect(problemOf(deep('{"__proto__":1}'), { withoutProto: true })).toBe("proto");
  expect(problemOf(deep("9007199254740993"))).toBe("inexact-number");
});

test("everything that JSON.stringify writes is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 2), (json, space) => {
      const text = JSON.stringify(JSON.parse(json), undefined, space);
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(parse(JSON.stringify([number]))).toEqual(JSON.parse(JSON.stringify([number])));
    }),
    { numRuns: 1_000 },
  );
});

test("a member that is written again, anywhere, is always noticed", () => {
  const key = fc.constantFrom("a", "b", 'a"b', "a\\b", ":", "{", "é", "__proto__");
  const tree = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("1", '"x:\\""', "null", "[]"),
      fc.array(fc.tuple(key, tie("value")), { minLength: 1, maxLength: 3 }).map((members) => {
        const written = members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`);
        return `{${written.join(",")}}`;
      }),
    ),
  }));
  const kept = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, each) => sum + kept(each), Object.keys(value).length)
      : 0;
  const repeats = (text: string) => kept(JSON.parse(text)) !== text.split(" : ").length - 1;
  fc.assert(
    fc.property(tree.value, (text) => {
      expect(problemOf(text) === "repeated-name").toBe(repeats(text));
    }),
    { numRuns: 500 },
  );
});
