import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { coerce } from "./coerce.ts";

/** An object schema whose one property `v` is required. */
function v(schema: unknown): JsonSchema {
  return { type: "object", properties: { v: schema }, required: ["v"] };
}

/** The same with `v` optional. */
function maybe(schema: unknown): JsonSchema {
  return { type: "object", properties: { v: schema } };
}

const integer = { type: "integer" };
const number = { type: "number" };
const string = { type: "string" };
const boolean = { type: "boolean" };
const point = { type: "object", properties: { x: number, y: number }, required: ["x", "y"] };

describe("coerces what is certain", () => {
  test.each<[string, unknown, unknown, unknown]>([
    ["a whole number", integer, "3", 3],
    ["a negative number", integer, "-12", -12],
    ["a plus sign", integer, "+7", 7],
    ["zero", integer, "0", 0],
    ["leading zeros", integer, "007", 7],
    ["spaces around a number", integer, " 42\n", 42],
    ["a whole number with decimals", integer, "3.0", 3],
    ["a whole number with an exponent", integer, "2e3", 2000],
    ["the largest exact integer", integer, "9007199254740991", 9007199254740991],
    ["a decimal", number, "3.25", 3.25],
    ["a decimal without a leading digit", number, ".5", 0.5],
    ["a decimal without a trailing digit", number, "5.", 5],
    ["a small exponent", number, "1.5E-7", 1.5e-7],
    ["a large exponent", number, "1e30", 1e30],
    ["a bounded number", { type: "integer", minimum: 1, maximum: 5 }, "5", 5],
    ["true", boolean, "true", true],
    ["False", boolean, "False", false],
    ["TRUE with spaces", boolean, " TRUE ", true],
    ["yes", boolean, "yes", true],
    ["No", boolean, "No", false],
    ["text 1", boolean, "1", true],
    ["1", boolean, 1, true],
    ["0", boolean, 0, false],
    ["a number for a string", string, 12345, "12345"],
    ["a decimal for a string", string, 1.5, "1.5"],
    ["a huge number for a string", string, 3e99, "3e+99"],
    ["a boolean for a string", string, true, "true"],
    ["a number for a string with a pattern", { type: "string", pattern: "^\\d{5}$" }, 10115, "10115"],
    ["null as text", { type: "null" }, "null", null],
    ["null as text for a nullable number", { type: ["number", "null"] }, "null", null],
    ["a number for a nullable number", { type: ["number", "null"] }, "4", 4],
    ["OpenAPI nullable", { type: "integer", nullable: true }, "4", 4],
    ["the first type that fits", { type: ["integer", "boolean"] }, "true", true],
    ["one string for an array", { type: "array", items: string }, "a", ["a"]],
    ["one number for an array", { type: "array", items: integer }, 3, [3]],
    ["one number as text for an array", { type: "array", items: integer }, "3", [3]],
    ["one object for an array", { type: "array", items: point }, { x: 1, y: 2 }, [{ x: 1, y: 2 }]],
    ["one choice for an array", { type: "array", items: { enum: ["Red", "Green"] } }, "red", ["Red"]],
    ["one value for a tuple of one", { type: "array", prefixItems: [integer], minItems: 1 }, "1", [1]],
    ["numbers as text in an array", { type: "array", items: integer }, ["1", 2, "3"], [1, 2, 3]],
    ["a tuple", { type: "array", prefixItems: [string, integer] }, [1, "2"], ["1", 2]],
    ["JSON of an array", { type: "array", items: string }, '["a", "b"]', ["a", "b"]],
    ["JSON of an array without items", { type: "array" }, "[1, 2]", [1, 2]],
    ["JSON of an empty array", { type: "array", items: string }, "[]", []],
    ["JSON of an array whose items are text", { type: "array", items: integer }, '["1", "2"]', [1, 2]],
    ["JSON of an object", point, '{"x": 1, "y": 2}', { x: 1, y: 2 }],
    ["JSON of an object whose values are text", point, '{"x": "1", "y": "2"}', { x: 1, y: 2 }],
    ["JSON in JSON of an object", point, JSON.stringify('{"x": 1, "y": 2}'), { x: 1, y: 2 }],
    [
      "JSON of an object for an array of them",
      { type: "array", items: point },
      '{"x": 1, "y": 2}',
      [{ x: 1, y: 2 }],
    ],
    ["JSON of objects in an array", { type: "array", items: point }, ['{"x": 1, "y": 2}'], [{ x: 1, y: 2 }]],
    ["a Python list", { type: "array", items: string }, "['a', 'b']", ["a", "b"]],
    ["a Python dictionary", { type: "object" }, "{'a': True, 'b': None}", { a: true, b: null }],
    ["a JavaScript object", point, "{x: 1, y: 2,}", { x: 1, y: 2 }],
    [
      "text in brackets that is no JSON, for an array",
      { type: "array", items: string },
      "[draft] title",
      ["[draft] title"],
    ],
    ["an enum in another case", { enum: ["asc", "desc"] }, "DESC", "desc"],
    ["an enum with spaces", { type: "string", enum: ["asc", "desc"] }, " asc ", "asc"],
    ["an enum of numbers", { enum: [1, 2, 3] }, "2", 2],
    ["an enum of texts with digits", { type: "string", enum: ["1", "2"] }, 2, "2"],
    ["an enum of booleans", { enum: [true, "auto"] }, "True", true],
    ["a constant in another case", { const: "Point" }, "point", "Point"],
    ["an exact choice before one in another case", { enum: ["a", "A"] }, " A", "A"],
    [
      "nested properties",
      { type: "object", properties: { a: { type: "object", properties: { b: integer } } } },
      { a: { b: "1" } },
      { a: { b: 1 } },
    ],
    ["additional properties", { type: "object", additionalProperties: integer }, { x: "1" }, { x: 1 }],
    [
      "pattern properties",
      { type: "object", patternProperties: { "^n_": number } },
      { n_a: "1.5", t: "1.5" },
      { n_a: 1.5, t: "1.5" },
    ],
    ["allOf", { allOf: [number, { minimum: 1 }] }, "2", 2],
    [
      "properties split over allOf",
      { allOf: [{ properties: { a: integer } }, { properties: { b: boolean } }] },
      { a: "1", b: "true" },
      { a: 1, b: true },
    ],
    [
      "if and then",
      {
        properties: { k: string },
        if: { properties: { k: { const: "n" } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { x: integer } },
      },
      { k: "n", x: "1" },
      { k: "n", x: 1 },
    ],
    ["the first branch that validates", { anyOf: [integer, boolean] }, "true", true],
    ["the first of two branches that could", { anyOf: [integer, { type: "array", items: integer }] }, "3", 3],
    ["an optional value written as a union", { anyOf: [integer, { type: "null" }] }, "3", 3],
    ["oneOf", { oneOf: [integer, { type: "array", items: integer }] }, ["1"], [1]],
    [
      "the branch whose tag fits",
      {
        anyOf: [
          { type: "object", properties: { kind: { const: "a" }, n: integer }, required: ["kind", "n"] },
          { type: "object", properties: { kind: { const: "b" }, n: boolean }, required: ["kind", "n"] },
        ],
      },
      { kind: "b", n: "true" },
      { kind: "b", n: true },
    ],
  ])("%s", (_name, schema, given, expected) => {
    const { ok, value, repairs, issues } = coerce({ v: given }, v(schema));
    expect({ ok, value, issues }).toEqual({ ok: true, value: { v: expected }, issues: [] });
    expect(repairs.length).toBeGreaterThan(0);
  });
});

describe("refuses what is not", () => {
  test.each<[string, unknown, unknown]>([
    ["a fraction for an integer", integer, "3.7"],
    ["a fraction that is a number", integer, 3.7],
    ["an empty string for a number", number, ""],
    ["an empty string for a boolean", boolean, ""],
    ["spaces for a number", number, "  "],
    ["words for a number", number, "about ten"],
    ["a number with a unit", number, "10px"],
    ["a thousands separator", integer, "1,000"],
    ["hexadecimal", integer, "0x10"],
    ["infinity", number, "Infinity"],
    ["not a number", number, "NaN"],
    ["a number beyond the range", number, "1e999"],
    ["an integer that loses precision", integer, "9007199254740993"],
    ["a whole number that loses precision", number, "12345678901234567890"],
    ["a number that lost digits before, for a string", string, Number("12345678901234567890")],
    ["a number out of bounds", { type: "integer", maximum: 5 }, "6"],
    ["a boolean for a number", number, true],
    ["null for a required number", number, null],
    ["null for a required string", string, null],
    ["2 for a boolean", boolean, 2],
    ["maybe for a boolean", boolean, "maybe"],
    ["an array for a string", string, ["a"]],
    ["an object for a string", string, { a: 1 }],
    ["an array of one for a number", number, [1]],
    ["text for an object", point, "not json"],
    ["JSON of an array for an object", point, "[1, 2]"],
    ["JSON of an object that does not fit", point, '{"x": 1}'],
    ["one value for an array of anything", { type: "array" }, "abc"],
    ["one value of the wrong type for an array", { type: "array", items: integer }, "abc"],
    ["null for an array", { type: "array", items: string }, null],
    ["JSON that was cut off", { type: "array", items: integer }, "[1, 2"],
    ["JSON with something left out", { type: "array", items: integer }, "[1, 2, ...]"],
    ["words in brackets for an array of numbers", { type: "array", items: integer }, "[one, two]"],
    ["a list with something JSON cannot say", { type: "array" }, "[-Infinity, NaN]"],
    ["JSON with an infinite number", { type: "array", items: number }, "[1e999]"],
    ["JSON with a number that loses digits", { type: "array", items: integer }, "[1234567890123456789]"],
    ["a list of texts that was cut off", { type: "array", items: string }, '["a", "b'],
    ["a list of texts without its end", { type: "array", items: string }, '["a", "b"'],
    ["an object that was cut off, for a list of texts", { type: "array", items: string }, '{"a": "b'],
    ["a list of something else, for a list of texts", { type: "array", items: string }, '[{"a": 1}]'],
    ["a list without brackets, for a list of texts", { type: "array", items: string }, '"a", "b"'],
    ["an unknown choice", { enum: ["asc", "desc"] }, "up"],
    ["a choice in a case that fits two", { enum: ["aB", "Ab"] }, "AB"],
    ["part of a choice", { enum: ["ascending"] }, "asc"],
    ["a value that fits two branches of oneOf", { oneOf: [number, integer] }, 3],
    ["a value that is excluded", { not: { const: "x" } }, "x"],
    [
      "an unknown property",
      { type: "object", properties: { a: integer }, additionalProperties: false },
      { a: 1, b: 2 },
    ],
  ])("%s", (_name, schema, given) => {
    const { ok, value, repairs, issues } = coerce({ v: given }, v(schema));
    expect({ ok, value, repairs }).toEqual({ ok: false, value: { v: given }, repairs: [] });
    expect(issues.length).toBeGreaterThan(0);
  });
});

describe("optional properties", () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    ["null is absent", maybe(integer), { v: null }, {}],
    ["null as text is absent", maybe(integer), { v: "null" }, {}],
    ["null is absent beside others", maybe(integer), { a: 1, v: null }, { a: 1 }],
    ["null in a nested object is absent", maybe(maybe(integer)), { v: { v: null } }, { v: {} }],
    [
      "null behind a reference is absent",
      { ...maybe({ $ref: "#/$defs/n" }), $defs: { n: integer } },
      { v: null },
      {},
    ],
    ["null for a union without null is absent", maybe({ anyOf: [integer, boolean] }), { v: null }, {}],
    ["null for an enum without null is absent", maybe({ enum: ["a"] }), { v: null }, {}],
  ])("%s", (_name, schema, given, expected) => {
    const result = coerce(given, schema);
    expect(result).toMatchObject({ ok: true, value: expected });
    expect(result.repairs.map((repair) => repair.kind)).toEqual(["null-to-absent"]);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["null that is allowed stays", maybe({ type: ["integer", "null"] }), { v: null }],
    ["text null stays where text is allowed", maybe(string), { v: "null" }],
    ["null of an unknown property stays", maybe(integer), { other: null }],
  ])("%s", (_name, schema, given) => {
    expect(coerce(given, schema)).toEqual({ ok: true, value: given, repairs: [], issues: [] });
  });

  test("nothing is made up for a missing property, not even its default", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer", default: 1 }, b: integer },
      required: ["a"],
    };
    const { ok, value, issues } = coerce({ b: "2" }, schema);
    expect({ ok, value }).toEqual({ ok: false, value: { b: "2" } });
    expect(issues.map((issue) => issue.path)).toEqual(["/a"]);
  });
});

describe("references", () => {
  test("are followed, also where they are recursive", () => {
    const schema: JsonSchema = {
      $ref: "#/$defs/node",
      $defs: {
        node: { type: "object", properties: { n: integer, next: { $ref: "#/$defs/node" } }, required: ["n"] },
      },
    };
    expect(coerce({ n: "1", next: { n: "2", next: { n: 3 } } }, schema).value).toEqual({
      n: 1,
      next: { n: 2, next: { n: 3 } },
    });
  });

  test("may recur through a list", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { n: integer, children: { type: "array", items: { $ref: "#" } } },
    };
    expect(coerce({ children: [{ n: "1" }, '{"n": 2}'] }, schema).value).toEqual({
      children: [{ n: 1 }, { n: 2 }],
    });
  });
});

describe("the whole arguments", () => {
  test("may be JSON in a string", () => {
    expect(coerce('{"v": "3"}', v(integer))).toMatchObject({ ok: true, value: { v: 3 } });
  });

  test("may be JSON in JSON in a string", () => {
    expect(coerce(JSON.stringify('{"v": 3}'), v(integer))).toMatchObject({ ok: true, value: { v: 3 } });
  });

  test("are not an object otherwise", () => {
    for (const value of ["v=3", 3, null, [], undefined]) expect(coerce(value, v(integer)).ok).toBe(false);
  });
});

test("every change is listed with its place, and nothing else is", () => {
  const schema = {
    type: "object",
    properties: {
      query: string,
      limit: integer,
      filters: { type: "array", items: { type: "object", properties: { "a/b": integer } } },
      order: { enum: ["asc"] },
      note: string,
    },
  };
  const given = { query: "3", limit: "3", filters: '[{"a/b": "1"}, {"a/b": 2}]', order: "ASC", note: null };
  expect(coerce(given, schema).repairs).toEqual([
    { kind: "string-to-number", degree: "exact", path: "/limit", before: '"3"', after: "3" },
    {
      kind: "json-in-string",
      degree: "exact",
      path: "/filters",
      before: '"[{\\"a/b\\": \\"1\\"}, {\\"a/b\\": 2}]"',
      after: '[{"a/b":"1"},{"a/b":2}]',
    },
    { kind: "string-to-number", degree: "exact", path: "/filters/0/a~1b", before: '"1"', after: "1" },
    { kind: "enum-choice", degree: "exact", path: "/order", before: '"ASC"', after: '"asc"' },
    { kind: "null-to-absent", degree: "exact", path: "/note", before: "null", after: "" },
  ]);
});

test("changes of a branch that did not fit are not listed", () => {
  const branch = (tag: string) => ({
    type: "object",
    properties: { n: integer, tag: { const: tag } },
    required: ["n", "tag"],
  });
  const { value, repairs } = coerce({ v: { n: "1", tag: "b" } }, v({ anyOf: [branch("a"), branch("b")] }));
  expect(value).toEqual({ v: { n: 1, tag: "b" } });
  expect(repairs).toEqual([
    { kind: "string-to-number", degree: "exact", path: "/v/n", before: '"1"', after: "1" },
  ]);
});

test("what is still wrong is told after the rest was coerced", () => {
  const schema = { type: "object", properties: { a: integer, b: integer }, required: ["a", "b"] };
  expect(coerce({ a: "1", b: "x" }, schema).issues).toEqual([
    {
      path: "/b",
      expected: "integer",
      received: 'string "x"',
      message: 'b: expected integer, received string "x".',
    },
  ]);
});

test("the given value is never changed, and untouched parts are shared", () => {
  const kept = { deep: [1] };
  const given = Object.freeze({ kept, v: Object.freeze(["1", "2"]) });
  const { value } = coerce(given, { type: "object", properties: { v: { type: "array", items: integer } } });
  expect(value).toEqual({ kept: { deep: [1] }, v: [1, 2] });
  expect((value as { kept: unknown }).kept).toBe(kept);
  expect(given.v).toEqual(["1", "2"]);
});

test("excerpts of long values are short", () => {
  const [repair] = coerce(
    { v: JSON.stringify(Array(1_000).fill("long text")) },
    v({ type: "array" }),
  ).repairs;
  expect(repair?.before.length).toBeLessThanOrEqual(80);
  expect(repair?.after.length).toBeLessThanOrEqual(80);
});

test("__proto__ is a property like any other", () => {
  const schema = { type: "object", additionalProperties: integer };
  const { ok, value } = coerce(JSON.parse('{"__proto__": "1", "constructor": "2"}'), schema);
  expect(ok).toBe(true);
  expect(JSON.stringify(value)).toBe('{"__proto__":1,"constructor":2}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(coerce({ v: '{"__proto__": {"polluted": "1"}}' }, v({ type: "object" })).ok).toBe(true);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("a value that validates comes back as it is, whatever the schema", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const schema of [
        {},
        { anyOf: [{ type: "string" }, {}] },
        { type: ["object", "array", "string", "number", "boolean", "null"] },
      ]) {
        const result = coerce(value, schema);
        expect(result.ok).toBe(true);
        expect(result.value).toBe(value);
        expect(result.repairs).toEqual([]);
      }
    }),
  );
});

test("coercing what was coerced changes nothing", () => {
  const schema = v({ anyOf: [integer, boolean, { type: "array", items: { anyOf: [number, point] } }] });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = coerce({ v: typeof value === "string" ? value : JSON.stringify(value) }, schema);
      if (!once.ok) return;
      expect(coerce(once.value, schema)).toEqual({ ok: true, value: once.value, repairs: [], issues: [] });
    }),
  );
});

test("a value too deep to coerce ends in an issue", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: { a: { anyOf: [{ $ref: "#" }, integer] } },
    additionalProperties: false,
  };
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}"x"${"}".repeat(50_000)}`) as unknown;
  const { ok, issues } = coerce(deep, schema);
  expect(ok).toBe(false);
  expect(issues.length).toBeGreaterThan(0);
});

test.each(["[a@x, b@x]", "[a", "[a@x; b@x]", "[,]", "[a, [b]]", "('a', 'b')"])(
  "no list is put around %s, which is written as one",
  (text) => {
    expect(coerce({ v: text }, v({ type: "array", items: string })).ok).toBe(false);
  },
);

test.each(["a, b", "a;b", "- a\n- b", "1. a\n2. b", "'a', 'b'", "", " ", "null", "a,"])(
  "no list is put around %j, which may be several elements or none",
  (text) => {
    expect(coerce({ v: text }, v({ type: "array", items: string })).ok).toBe(false);
  },
);

test("the text null for a list that may be absent leaves it out", () => {
  const schema = { type: "object", properties: { v: { type: "array", items: string } } };
  expect(coerce({ v: "null" }, schema)).toMatchObject({ ok: true, value: {} });
});

test.each(["[draft] hello", "[see] and [note]", "a [b]", "(a, b)"])(
  "a list is put around %s, which is text",
  (text) => {
    const list = v({ type: "array", items: string });
    expect(coerce({ v: text }, list)).toMatchObject({ ok: true, value: { v: [text] } });
  },
);

test("JSON in a string that has two readings is not read", () => {
  const list = v({ type: "array", items: string });
  expect(coerce({ v: String.raw`["\d+"]` }, list)).toMatchObject({ ok: true, value: { v: ["\\d+"] } });
  expect(coerce({ v: String.raw`["C:\temp\Users"]` }, list).ok).toBe(false);
});

test("an unusable schema is the only thing that throws", () => {
  expect(() => coerce({}, { type: "nothing" })).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
  expect(coerce({}, { type: "nothing" }, { trusted: false }).ok).toBe(true);
});

describe("JSON in a string is read with what the schema says of its place", () => {
  const id = "1234567890123456789";
  const parts: [string, unknown, string, unknown][] = [
    ["a version", { type: "object", properties: { a: string } }, '{"a": 3.10}', { a: "3.10" }],
    ["versions in a list", { type: "array", items: string }, "[3.9, 3.10]", ["3.9", "3.10"]],
    ["an identifier", { type: "object", properties: { a: string } }, `{"a": ${id}}`, { a: id }],
    ["where anything may stand", { type: "array" }, `[${id}, 1e999]`, [id, "1e999"]],
    [
      "in two layers",
      { type: "object", properties: { a: string } },
      JSON.stringify('{"a": 3.10}'),
      { a: "3.10" },
    ],
    [
      "by a pattern",
      { type: "object", patternProperties: { "^a": string } },
      '{"a1": 3.10, "b": 2.50}',
      { a1: "3.10", b: 2.5 },
    ],
    [
      "by another part",
      { type: "object", allOf: [{ properties: { a: string } }] },
      '{"a": 3.10}',
      { a: "3.10" },
    ],
    [
      "in a list put around it",
      { type: "array", items: { type: "object", properties: { a: string } } },
      '{"a": 3.10}',
      [{ a: "3.10" }],
    ],
  ];
  test.each(parts)("%s", (_name, schema, text, meant) => {
    expect(coerce({ v: text }, v(schema))).toMatchObject({ ok: true, value: { v: meant } });
  });

  test("what is wrong inside is told at its place, with the reason", () => {
    const schema = v({ type: "object", properties: { a: integer } });
    expect(coerce({ v: `{"a": ${id}}` }, schema).issues).toMatchObject([
      { path: "/v/a", message: expect.stringContaining("more digits than a number can keep") },
    ]);
    expect(coerce({ v: '{"a": "x"}' }, schema).issues).toMatchObject([{ path: "/v/a", expected: "integer" }]);
  });

  test("keys that nobody knows are noted with their place", () => {
    const list = { type: "array", items: { type: "object", properties: { dry_run: boolean } } };
    const { repairs } = coerce({ v: ['{"dryrun": true, "other": 1}'] }, v(list));
    expect(repairs).toMatchObject([
      { kind: "json-in-string", path: "/v/0" },
      { kind: "near-key", degree: "guess", path: "/v/0/dryrun", after: "dry_run" },
      { kind: "unknown-key", degree: "exact", path: "/v/0/other" },
    ]);
  });
});

test("a union that recurs through lists and objects is tried once for each part", () => {
  const node = { $ref: "#/$defs/node" };
  const holder = { type: "object", properties: { a: node } };
  const list = { type: "array", items: node };
  const schema = { ...node, $defs: { node: { anyOf: [list, holder, { ...list, maxItems: 5 }, integer] } } };
  const nest = (leaf: string) => JSON.parse(`${'{"a":'.repeat(30)}${leaf}${"}".repeat(30)}`) as unknown;
  expect(coerce(nest('"3"'), schema)).toMatchObject({ ok: true, value: nest("3") });
  expect(coerce(nest('"x"'), schema).ok).toBe(false);
});

describe("a union takes the reading that changes least", () => {
  const list = (items: object) => ({ type: "array", items });
  test.each([
    ["1", { anyOf: [{ type: "boolean" }, integer] }, 1],
    ["1", { type: ["boolean", "integer"] }, 1],
    ["true", { anyOf: [integer, { type: "boolean" }] }, true],
    [1, { anyOf: [{ type: "boolean" }, string] }, "1"],
    ['{"a":1}', { anyOf: [list(string), { type: "object" }] }, { a: 1 }],
    ["[1,2]", { anyOf: [list(string), list(integer)] }, [1, 2]],
    ["3", { anyOf: [list(integer), integer] }, 3],
    ["3", { oneOf: [list(integer), { type: "boolean" }] }, [3]],
  ])("%j for %j", (given, schema, meant) => {
    expect(coerce(given, schema as JsonSchema)).toMatchObject({ ok: true, value: meant });
  });
});

test.each([[undefined], [null], [5], ["object"], [[]], [true]])("the schema %j is refused", (schema) => {
  expect(() => coerce({}, schema as never)).toThrow(
    expect.objectContaining({
      code: "SCHEMA_INVALID",
      message: expect.stringContaining("must be an object"),
    }),
  );
});
