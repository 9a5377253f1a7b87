import { describe, expect, test } from "vitest";
import { compile } from "./compile.ts";
import { Evaluation } from "./evaluate.ts";
import type { JsonSchema } from "./json-schema.ts";
import { normalise } from "./normalise.ts";
import { validatorFor } from "./validate.ts";

/** What JSON Schema asks for where validators differ. The kinds of cases are those of the JSON Schema Test Suite. */
type Case = [name: string, schema: JsonSchema, valid: unknown[], invalid: unknown[]];

function expectSame({
  schema,
  value,
  answer,
}: {
  schema: JsonSchema;
  value: unknown;
  answer: boolean;
}): void {
  const normal = normalise(schema, true);
  const compiled = normal.uncompilable ? undefined : compile(normal);
  const shown = JSON.stringify(value);
  expect(new Evaluation(normal).isValid(normal.root, value), `evaluated: ${shown}`).toBe(answer);
  if (compiled !== undefined) expect(compiled(value), `compiled: ${shown}`).toBe(answer);
  expect(validatorFor(schema).check(value), shown).toBe(answer);
}

const URL = "http://localhost:1234/";

const REFERENCES: Case[] = [
  [
    "$recursiveRef without $recursiveAnchor is $ref",
    { properties: { foo: { $recursiveRef: "#" } }, additionalProperties: false },
    [{ foo: false }, { foo: { foo: false } }],
    [{ bar: false }, { foo: { bar: false } }],
  ],
  [
    "$recursiveRef to the one $recursiveAnchor",
    {
      $id: `${URL}tree`,
      $recursiveAnchor: true,
      type: "object",
      properties: { data: { type: "integer" }, next: { $recursiveRef: "#" } },
    },
    [{ data: 1, next: { data: 2 } }],
    [{ data: 1, next: { data: "2" } }, { next: 3 }],
  ],
  [
    "$recursiveRef in a resource of its own means that resource",
    {
      $id: `${URL}outer`,
      properties: { inner: { $ref: "inner" } },
      $defs: {
        inner: { $id: "inner", type: ["integer", "object"], additionalProperties: { $recursiveRef: "#" } },
      },
      type: "object",
    },
    [{ inner: { a: { b: 1 } } }],
    [{ inner: { a: "x" } }],
  ],
  [
    "$dynamicRef to the one $dynamicAnchor",
    {
      $id: `${URL}list`,
      type: "array",
      items: { $dynamicRef: "#items" },
      $defs: { foo: { $dynamicAnchor: "items", type: "string" } },
    },
    [["foo", "bar"]],
    [["foo", 42]],
  ],
  [
    "$dynamicRef to an $anchor",
    { type: "array", items: { $dynamicRef: "#items" }, $defs: { foo: { $anchor: "items", type: "string" } } },
    [["foo"]],
    [[42]],
  ],
  [
    "$dynamicRef by pointer, to what several call the same",
    {
      $id: `${URL}pointer`,
      properties: { a: { $dynamicRef: "#/$defs/foo" } },
      $defs: {
        foo: { $dynamicAnchor: "node", type: "string" },
        other: { $id: "other", $dynamicAnchor: "another" },
      },
    },
    [{ a: "x" }],
    [{ a: 1 }],
  ],
  [
    "$ref and $dynamicRef side by side",
    {
      properties: { a: { $ref: "#/$defs/text", $dynamicRef: "#short" } },
      $defs: { text: { type: "string" }, short: { $dynamicAnchor: "short", maxLength: 2 } },
    },
    [{ a: "ab" }],
    [{ a: "abc" }, { a: 1 }],
  ],
  [
    "one anchor in each of two resources",
    {
      $id: `${URL}root`,
      properties: { a: { $ref: "child1#name" }, b: { $ref: "child2#name" } },
      $defs: {
        one: { $id: "child1", $defs: { x: { $anchor: "name", type: "string" } } },
        two: { $id: "child2", $defs: { x: { $anchor: "name", type: "number" } } },
      },
    },
    [{ a: "x", b: 1 }],
    [{ a: 1 }, { b: "x" }],
  ],
  [
    "addresses relative to the resource that they are in",
    {
      $id: `${URL}base/root.json`,
      properties: { list: { $ref: "folder/" } },
      $defs: {
        list: { $id: "folder/", type: "array", items: { $ref: "item.json" } },
        item: { $id: "folder/item.json", type: "integer" },
      },
    },
    [{ list: [1] }],
    [{ list: ["a"] }],
  ],
  [
    "a pointer through a resource to a reference of that",
    {
      $id: `${URL}through`,
      properties: { a: { $ref: "#/$defs/inner/properties/b" } },
      $defs: {
        inner: { $id: "inner/", properties: { b: { $ref: "text" } } },
        text: { $id: "inner/text", type: "string" },
      },
    },
    [{ a: "x" }],
    [{ a: 1 }],
  ],
  [
    "$id in an enum is data",
    {
      anyOf: [{ $ref: "#/$defs/data" }, { $ref: `${URL}my.json` }],
      $defs: {
        data: { enum: [{ $id: `${URL}my.json`, type: "null" }] },
        real: { $id: `${URL}my.json`, type: "string" },
        constant: { const: { $id: `${URL}my.json`, type: "null" } },
      },
    },
    ["text", { $id: `${URL}my.json`, type: "null" }],
    [null, 1],
  ],
  [
    "$anchor in a const is data",
    {
      $ref: "#name",
      $defs: { a: { const: { $anchor: "name" } }, b: { $anchor: "name", type: "string" } },
    },
    ["text"],
    [1, { $anchor: "name" }],
  ],
  [
    "a property may be called like a keyword",
    { properties: { enum: { $anchor: "here", type: "string" }, a: { $ref: "#here" } } },
    [{ a: "x" }],
    [{ a: 1 }],
  ],
];

const NUMBERS: Case[] = [
  ["multipleOf 1", { multipleOf: 1 }, [1, 3, -2, 0, 1e308], [1.0000001, 0.5, 1.5]],
  ["multipleOf 0.01", { multipleOf: 0.01 }, [0.07, 19.99, 4.35, 1e22], [0.075, 19.999]],
  ["multipleOf 0.0001", { multipleOf: 0.0001 }, [0.0075], [0.00751]],
  ["multipleOf 0.5 of a huge number", { type: "integer", multipleOf: 0.5 }, [1e308], []],
  ["multipleOf that divides to infinity", { type: "integer", multipleOf: 0.123456789 }, [0], [1e308]],
  ["multipleOf 1e-8", { type: "integer", multipleOf: 1e-8 }, [12391239123], []],
  ["multipleOf a huge number", { multipleOf: 1e308 }, [0, 1e308], [1, 1.5e308]],
  ["numbers are finite", { type: "number" }, [1e308], [Number.POSITIVE_INFINITY, Number.NaN]],
  [
    "integers are finite",
    { type: "integer" },
    [1.0],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5],
  ],
  ["what is not a number has no bounds", { maximum: 5 }, ["x", Number.POSITIVE_INFINITY], [6]],
];

const LISTS: Case[] = [
  [
    "uniqueItems beside prefixItems of objects",
    { uniqueItems: true, prefixItems: [{ type: "object" }, { type: "object" }], items: { type: "string" } },
    [
      [{ x: 1 }, { x: 2 }],
      [{ x: 1 }, { x: 2 }, "a"],
    ],
    [
      [{ x: 1 }, { x: 1 }],
      [{ x: 1 }, { x: 2 }, "a", "a"],
    ],
  ],
  [
    "uniqueItems beside prefixItems that are not described",
    { uniqueItems: true, prefixItems: [true, true], items: { type: "number" } },
    [[[1], [2]]],
    [[[1], [1]]],
  ],
  ["uniqueItems of texts", { uniqueItems: true, items: { type: "string" } }, [["a", "b"]], [["a", "a"]]],
];

const VALUES: Case[] = [
  ["const within enum", { const: "a", enum: ["a", "b"] }, ["a"], ["b", "c"]],
  ["const outside enum", { const: "c", enum: ["a", "b"] }, [], ["a", "b", "c"]],
  [
    "an object as const within enum",
    { const: { a: 1, b: 2 }, enum: [{ b: 2, a: 1 }] },
    [{ a: 1, b: 2 }],
    [1],
  ],
];

describe.each(Object.entries({ REFERENCES, NUMBERS, LISTS, VALUES }))("%s", (_name, cases) => {
  test.each(cases)("%s", (_case, schema, valid, invalid) => {
    for (const value of valid) expectSame({ schema, value, answer: true });
    for (const value of invalid) expectSame({ schema, value, answer: false });
  });
});

test.each([
  [
    "$dynamicRef",
    {
      $id: `${URL}typical`,
      $ref: "list",
      $defs: {
        foo: { $dynamicAnchor: "items", type: "string" },
        list: {
          $id: "list",
          type: "array",
          items: { $dynamicRef: "#items" },
          $defs: { items: { $dynamicAnchor: "items" } },
        },
      },
    },
  ],
  [
    "$recursiveRef",
    {
      $id: `${URL}strict`,
      $recursiveAnchor: true,
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: {
        tree: { $id: "tree", $recursiveAnchor: true, properties: { next: { $recursiveRef: "#" } } },
      },
    },
  ],
])("%s between resources, whose meaning depends on the way to it, is refused", (keyword, schema) => {
  expect(() => validatorFor(schema)).toThrow(
    expect.objectContaining({ code: "SCHEMA_INVALID", message: expect.stringContaining(keyword) }),
  );
});

test("the engine of a pattern does not decide what it matches", () => {
  const texts = [
    "a\rb",
    "a\u2028b",
    "a\nb",
    "a\u00a0b",
    "a\u3000b",
    "a\ufeffb",
    "a b",
    "a\u200bb",
    "a.b",
    "a\tb",
  ];
  for (const source of [
    "^(a.b)+$",
    "^(a\\sb)+$",
    "^(a\\Sb)+$",
    "^(a[\\s]b)+$",
    "^(a[^\\S]b)+$",
    "^(a[\\s\\S]b)+$",
    "^(a[[.]b)+$",
  ]) {
    const { check, normal } = validatorFor({ pattern: source });
    expect(normal.patterns.get(source)?.native, source).toBe(false);
    for (const text of texts)
      expect(check(text), `${source} ${JSON.stringify(text)}`).toBe(new RegExp(source).test(text));
  }
});

describe("of a text too long for its pattern nothing is known, so the value is not valid", () => {
  const pattern = "(sudo|rm\\s+-rf|mkfs\\w*|dd\\s+if=)";
  const long = `rm -rf / #${"x".repeat(3_000_000)}`;
  test.each<[string, JsonSchema, unknown]>([
    ["pattern", { pattern }, long],
    ["not", { not: { pattern } }, long],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ["if", { if: { pattern }, then: false }, long],
    ["oneOf", { oneOf: [{ pattern }, { type: "string" }] }, long],
    ["anyOf", { anyOf: [{ not: { pattern } }, { type: "number" }] }, long],
    ["patternProperties", { patternProperties: { [pattern]: false } }, { [long]: 1 }],
    [
      "additionalProperties",
      { patternProperties: { [pattern]: false }, additionalProperties: true },
      { [long]: 1 },
    ],
    ["propertyNames", { propertyNames: { not: { pattern } } }, { [long]: 1 }],
    ["contains", { contains: { pattern }, maxContains: 0, minContains: 0 }, [long]],
    [
      "dependentSchemas",
      { dependentSchemas: { a: { properties: { a: { not: { pattern } } } } } },
      { a: long },
    ],
  ])("%s", (_keyword, schema, value) => {
    const validator = validatorFor(schema);
    expect(validator.check(value)).toBe(false);
    expect(validator.decide(value)).toBe(undefined);
    expect(validator.issues(value)[0]?.message).toContain("too long to be checked against its pattern");
  });
});
