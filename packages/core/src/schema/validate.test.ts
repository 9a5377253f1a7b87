import { describe, expect, test } from "vitest";
import type { JsonSchema } from "./json-schema.ts";
import { validatorFor } from "./validate.ts";

function messages(schema: JsonSchema, value: unknown): string[] {
  return validatorFor(schema)
    .issues(value)
    .map((issue) => issue.message);
}

/** One property `v` with the given schema. */
function v(schema: unknown): JsonSchema {
  return { type: "object", properties: { v: schema } };
}

const search: JsonSchema = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, description: "What to search for" },
    limit: { type: "integer", minimum: 1, maximum: 50 },
    order: { enum: ["asc", "desc"] },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["query"],
  additionalProperties: false,
};

describe("issues", () => {
  test("are empty for a valid value", () => {
    expect(validatorFor(search).issues({ query: "a", limit: 3 })).toEqual([]);
  });

  test("carry the place, what was expected and what came", () => {
    expect(validatorFor(search).issues({ query: "a", limit: "abc" })).toEqual([
      {
        path: "/limit",
        expected: "integer from 1 to 50",
        received: 'string "abc"',
        message: 'limit: expected integer from 1 to 50, received string "abc".',
      },
    ]);
  });

  test("name everything that is wrong, in one go", () => {
    expect(messages(search, { limit: 99, order: "up", tags: ["a", 1] })).toEqual([
      "query: required but missing. Add it (string of at least 1 character: What to search for).",
      "limit: expected integer from 1 to 50, received number 99.",
      'order: expected "asc" or "desc", received string "up".',
      "tags[1]: expected string, received number 1.",
    ]);
  });

  test("name an unknown property and the one that was meant", () => {
    expect(messages(search, { query: "a", limt: 3 })).toEqual([
      'limt: unknown property. Did you mean "limit"?',
    ]);
    expect(messages(search, { query: "a", zzz: 3 })).toEqual([
      "zzz: unknown property. Remove it; known here: query, limit, order, tags.",
    ]);
  });

  test("list several missing and unknown properties one by one", () => {
    const schema = { type: "object", required: ["a", "b"], properties: {}, additionalProperties: false };
    expect(
      validatorFor(schema)
        .issues({ x: 1, y: 2 })
        .map((issue) => issue.path),
    ).toEqual(["/a", "/b", "/x", "/y"]);
  });

  test.each([
    [{ type: "string", format: "date" }, "x", 'v: expected string in date format, received string "x".'],
    [{ type: "string", pattern: "^a$" }, "b", 'v: expected string matching /^a$/, received string "b".'],
    [
      { type: "string", minLength: 2, maxLength: 4 },
      "b",
      'v: expected string of 2 to 4 characters, received string "b".',
    ],
    [{ type: "number", exclusiveMinimum: 0 }, 0, "v: expected number > 0, received number 0."],
    [{ type: "number", multipleOf: 5 }, 3, "v: expected number that is a multiple of 5, received number 3."],
    [{ type: ["string", "null"] }, 3, "v: expected string or null, received number 3."],
    [{ const: "x" }, "y", 'v: expected "x", received string "y".'],
    [
      { type: "array", minItems: 1, items: {} },
      [],
      "v: expected array (at least 1 item), received array of 0 items.",
    ],
    [
      { type: "array", uniqueItems: true },
      [1, 1],
      "v: expected an array without duplicates, received array of 2 items.",
    ],
    [
      { type: "array", contains: { type: "null" } },
      [1],
      "v: expected an array with an item that is null, received array of 1 item.",
    ],
    [
      { type: "object", minProperties: 1 },
      {},
      "v: expected an object with at least 1 properties, received empty object.",
    ],
    [{ not: { type: "null" } }, null, "v: expected anything but null, received null."],
    [false, 1, "v: expected nothing here, received number 1."],
    [{ type: "object" }, [1, 2], "v: expected object, received array of 2 items."],
    [{ type: "integer" }, 1.5, "v: expected integer, received number 1.5."],
  ])("%j", (schema, value, message) => {
    expect(messages(v(schema), { v: value })).toEqual([message]);
  });

  test("shorten a long enum and a long value", () => {
    const [message = ""] = messages(v({ enum: Array.from({ length: 300 }, (_, i) => `choice${i}`) }), {
      v: "x".repeat(999),
    });
    expect(message).toContain("(300 choices)");
    expect(message.length).toBeLessThan(300);
  });

  test("of a union are those of the branch that was meant", () => {
    const schema = v({
      anyOf: [
        { type: "null" },
        {
          type: "object",
          properties: { kind: { const: "file" }, path: { type: "string" } },
          required: ["kind", "path"],
        },
        {
          type: "object",
          properties: { kind: { const: "url" }, url: { type: "string" } },
          required: ["kind", "url"],
        },
      ],
    });
    expect(messages(schema, { v: { kind: "file", path: 1 } })).toEqual([
      "v.path: expected string, received number 1.",
    ]);
    expect(messages(schema, { v: { kind: "web" } })).toEqual([
      'v.kind: expected "file" or "url", received string "web".',
    ]);
    expect(messages(schema, { v: 7 })).toEqual([
      "v: expected null, object with kind, path or object with kind, url, received number 7.",
    ]);
  });

  test("of an optional union of scalars are one", () => {
    const schema = v({
      oneOf: [
        { type: "string", format: "date" },
        { type: "integer", minimum: 0 },
      ],
    });
    expect(messages(schema, { v: true })).toEqual([
      "v: expected exactly one of: string in date format or integer ≥ 0, received boolean true.",
    ]);
  });

  test("are limited, with a count of the rest", () => {
    const issues = validatorFor({ type: "array", items: { type: "string" } }).issues(Array(100).fill(1));
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)?.message).toBe("... and 80 more problems.");
  });

  test("escape names in the pointer", () => {
    expect(
      validatorFor({ properties: { "a/b~c": { type: "string" } } }).issues({ "a/b~c": 1 })[0]?.path,
    ).toBe("/a~1b~0c");
  });
});

describe("schemas as they are found", () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    [
      "draft-07 with definitions",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { id: { type: "integer" } },
        properties: { a: { $ref: "#/definitions/id" } },
      },
      { a: 1 },
      { a: "x" },
    ],
    [
      "draft-07 tuples",
      { items: [{ type: "string" }, { type: "number" }], additionalItems: false },
      ["a", 1],
      ["a", 1, 2],
    ],
    [
      "draft-07 dependencies",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { a: 1, b: 1 },
      { c: 1 },
    ],
    ["draft-04 exclusive bounds", { minimum: 1, exclusiveMinimum: true }, 2, 1],
    ["OpenAPI nullable", v({ type: "string", nullable: true }), { v: null }, { v: 1 }],
    [
      "OpenAPI nullable with an enum",
      v({ type: "string", enum: ["a"], nullable: true }),
      { v: null },
      { v: "b" },
    ],
    [
      "OpenAPI nullable beside a reference",
      { ...v({ $ref: "#/$defs/a", nullable: true }), $defs: { a: { type: "string" } } },
      { v: null },
      { v: 1 },
    ],
    [
      "a reference into a property",
      { properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } },
      { b: "x" },
      { b: 1 },
    ],
    [
      "a reference with escapes",
      { ...v({ $ref: "#/$defs/a~1b%20c" }), $defs: { "a/b c": { type: "string" } } },
      { v: "x" },
      { v: 1 },
    ],
    [
      "an anchor",
      { ...v({ $ref: "#name" }), $defs: { a: { $anchor: "name", type: "string" } } },
      { v: "x" },
      { v: 1 },
    ],
    [
      "an embedded $id",
      { ...v({ $ref: "Name" }), $defs: { a: { $id: "Name", type: "string" } } },
      { v: "x" },
      { v: 1 },
    ],
    [
      "a reference relative to an embedded $id",
      {
        ...v({ $ref: "Name" }),
        $defs: { a: { $id: "Name", $ref: "#/$defs/b", $defs: { b: { type: "string" } } } },
      },
      { v: "x" },
      { v: 1 },
    ],
    [
      "a recursive schema",
      { ...v({ $ref: "#" }), additionalProperties: false },
      { v: { v: {} } },
      { v: { x: 1 } },
    ],
    [
      "keywords beside a reference",
      { ...v({ $ref: "#/$defs/a", minLength: 2 }), $defs: { a: { type: "string" } } },
      { v: "xx" },
      { v: "x" },
    ],
    [
      "unknown keywords and formats",
      { "x-order": [1], markdownDescription: "a", ...v({ type: "string", format: "color" }) },
      { v: "x" },
      { v: 1 },
    ],
    ["formats", v({ format: "uuid" }), { v: "123e4567-e89b-12d3-a456-426614174000" }, { v: "x" }],
    ["number formats", v({ type: "integer", format: "int32" }), { v: 1 }, { v: 2 ** 40 }],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
    [
      "unevaluatedItems",
      { prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false },
      [1, "x"],
      [1, "x", 2],
    ],
    ["a pattern that only works without the u flag", v({ pattern: "^\\_\\-$" }), { v: "_-" }, { v: "x" }],
    [
      "properties that every object inherits",
      { required: ["constructor"], properties: { toString: { type: "string" } } },
      { constructor: 1 },
      {},
    ],
    [
      "conditions",
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      { if: { required: ["a"] }, then: { required: ["b"] }, else: { required: ["c"] } },
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
  ])("%s", (_name, schema, good, bad) => {
    for (const trusted of [true, false]) {
      const validator = validatorFor(schema, { trusted });
      expect(validator.check(good)).toBe(true);
      expect(validator.check(bad)).toBe(false);
      expect(validator.issues(bad)).not.toEqual([]);
    }
  });

  test("the format is checked where the expression beside it cannot be", () => {
    const schema = v({ type: "string", format: "duration", pattern: "^P(?=\\d)\\d+D$" });
    const { check } = validatorFor(schema, { trusted: false });
    expect([check({ v: "P3D" }), check({ v: "3 days" })]).toEqual([true, false]);
  });

  test("a schema object may be used in several places, or inside itself", () => {
    const name = { type: "string" };
    const list: Record<string, unknown> = {
      type: "object",
      properties: { name, alias: name },
      additionalProperties: false,
    };
    (list.properties as Record<string, unknown>).next = list;
    const { check } = validatorFor(list);
    expect(check({ name: "a", next: { alias: "b", next: {} } })).toBe(true);
    expect(check({ name: "a", next: { alias: "b", next: { name: 1 } } })).toBe(false);
  });

  test("a property named __proto__ is validated", () => {
    const validator = validatorFor(
      JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}'),
    );
    expect(validator.check(JSON.parse('{"__proto__":"x"}'))).toBe(true);
    expect(validator.check(JSON.parse('{"__proto__":1}'))).toBe(false);
  });
});

describe("a schema that cannot be used throws SCHEMA_INVALID, saying where", () => {
  test.each<[JsonSchema, RegExp]>([
    [v({ type: "strng" }), /#\/properties\/v\/type must be one of string, .* not "strng"/],
    [v({ type: "string", pattern: "(" }), /#\/properties\/v\/pattern holds an invalid regular expression/],
    [v({ enum: [] }), /enum must be a list of at least one value/],
    [v({ minimum: "1" }), /minimum must be a number, not "1"/],
    [v({ $ref: "#/$defs/none" }), /refers to "#\/\$defs\/none", which is not in the schema/],
    [{ properties: [] }, /properties must be an object of schemas/],
    [{ required: "a" }, /required must be a list of property names/],
    [{ anyOf: [] }, /anyOf must be a list/],
    [{ $ref: "#" }, /never ends/],
  ])("%j", (schema, message) => {
    expect(() => validatorFor(schema)).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
    expect(() => validatorFor(schema)).toThrow(message);
  });
});

describe("values that are not JSON", () => {
  const loop: Record<string, unknown> = {};
  loop.query = loop;
  const trap = Object.defineProperty({}, "query", {
    enumerable: true,
    get() {
      throw new Error("trap");
    },
  });
  test.each([
    ["a cycle", loop],
    ["a getter that throws", trap],
    ["a bigint", { query: 1n }],
    ["a symbol", { query: Symbol("x") }],
    ["not a number", { query: Number.NaN }],
    ["undefined", undefined],
    ["a function", () => 1],
  ])("%s is refused with an issue", (_name, value) => {
    const validator = validatorFor(search);
    expect(validator.check(value)).toBe(false);
    expect(validator.issues(value).length).toBeGreaterThan(0);
  });
});

test("the same schema object gives the same validator, for each level of trust", () => {
  const schema = { type: "object" };
  expect(validatorFor(schema)).toBe(validatorFor(schema));
  expect(validatorFor(schema, { trusted: false })).not.toBe(validatorFor(schema));
});

test("dependentRequired does not count inherited names as present", () => {
  const needs = (dependentRequired: Record<string, string[]>) =>
    validatorFor({ type: "object", dependentRequired }, { trusted: true });
  expect(needs({ a: ["toString"] }).issues({ a: 1 })).toHaveLength(1);
  expect(needs({ constructor: ["b"] }).issues({})).toEqual([]);
  expect(needs({ a: ["b"] }).issues({ a: 1, b: 2 })).toEqual([]);
});
