import { describe, expect, test } from "vitest";
import { issuesOf } from "./issues.ts";
import { blankOf, type Schema, shapeOf } from "./shape.ts";

const kindOf = (schema: Schema, root: Schema = schema) => shapeOf(schema, root).kind;

describe("the shape of a form", () => {
  test.each<[string, Schema]>([
    ["text", { type: "string" }],
    ["number", { type: "integer" }],
    ["flag", { type: "boolean" }],
    ["choice", { enum: ["a", 1, null] }],
    ["choice", { const: "a" }],
    ["object", { properties: { a: {} } }],
    ["list", { type: "array", items: { type: "string" } }],
    ["union", { oneOf: [{ type: "string" }, { type: "number" }] }],
    ["union", { type: ["string", "null"] }],
    ["number", { anyOf: [{ type: "number" }] }],
    ["text", { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "string" } } }],
    ["object", { allOf: [{ type: "object", properties: { a: {} } }, { properties: { b: {} } }] }],
  ])("is %s for %j", (kind, schema) => expect(kindOf(schema)).toBe(kind));

  test.each<[Schema]>([
    [{}],
    [{ type: "object" }],
    [{ type: "object", additionalProperties: { type: "string" } }],
    [{ type: "object", properties: { a: {} }, if: { required: ["a"] } }],
    [{ type: "array", prefixItems: [{ type: "string" }] }],
    [{ type: "array" }],
    [{ $ref: "https://elsewhere.example/schema" }],
    [{ $ref: "#/$defs/missing" }],
    [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }],
    [{ allOf: [{ oneOf: [{ type: "string" }] }] }],
    [{ oneOf: [true, { type: "string" }] }],
    [{ type: "something" }],
  ])("is an editor for what no form can be made of: %j", (schema) => expect(kindOf(schema)).toBe("json"));

  test("a branch of a union is named by its title, by what it fixes, or by its type", () => {
    const shape = shapeOf(
      {
        oneOf: [
          { title: "By card", type: "object" },
          { properties: { kind: { const: "cash" } } },
          { properties: { iban: {} }, required: ["iban"] },
          { type: "null" },
        ],
      },
      {},
    );
    expect(shape.kind === "union" && shape.branches.map(({ label }) => label)).toEqual([
      "By card",
      "cash",
      "with iban",
      "null",
    ]);
  });

  const self = { $ref: "#" };
  test.each<[Schema]>([
    [{ type: "object", properties: { next: self }, required: ["next"] }],
    [
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at, self])),
        required: Array.from({ length: 50 }, (_, at) => String(at)),
      },
    ],
    [{ oneOf: [self] }],
    [{ oneOf: [self, self, { type: "string" }] }],
    [{ allOf: [self, self] }],
    [{ type: "array", items: self }],
    [{ type: ["object"], allOf: [{ anyOf: [self] }] }],
  ])("a stranger's schema that goes round in circles ends: %j", (schema) => {
    shapeOf(schema, schema);
    blankOf(schema);
    for (const value of [undefined, {}, "x", [[[]]]]) issuesOf(value, schema);
  });
});

test("a form begins with defaults and what is required", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      to: { type: "string" },
      urgent: { type: "boolean", default: false },
      address: { type: "object", properties: { land: { const: "PT" } }, required: ["land"] },
      more: { type: "array", items: {} },
    },
    required: ["to", "address"],
  };
  expect(blankOf(schema)).toEqual({ urgent: false, address: { land: "PT" } });
});

describe("what is wrong with a value", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      to: { type: "string", format: "email" },
      euros: { type: "number", exclusiveMinimum: 0, maximum: 500 },
      way: { enum: ["card", "cash"] },
      "a/b": { type: "array", items: { type: "integer" }, minItems: 1 },
      who: {
        oneOf: [
          { type: "string", minLength: 1 },
          { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        ],
      },
    },
    required: ["to", "way"],
    additionalProperties: false,
  };
  const paths = (value: unknown) => issuesOf(value, schema).map(({ path }) => path);

  test("nothing", () => {
    expect(paths({ to: "a@b", way: "card", euros: 1, "a/b": [1], who: { id: "x" } })).toEqual([]);
  });

  test.each<[unknown, string[]]>([
    [{ to: "a@b" }, ["/way"]],
    [{ to: "nobody", way: "card" }, ["/to"]],
    [{ to: "a@b", way: "voucher" }, ["/way"]],
    [{ to: "a@b", way: "card", euros: "many" }, ["/euros"]],
    [{ to: "a@b", way: "card", euros: 0 }, ["/euros"]],
    [{ to: "a@b", way: "card", "a/b": [] }, ["/a~1b"]],
    [{ to: "a@b", way: "card", "a/b": [1, 1.5] }, ["/a~1b/1"]],
    [{ to: "a@b", way: "card", who: {} }, ["/who/id"]],
    [{ to: "a@b", way: "card", extra: 1 }, ["/extra"]],
    [null, [""]],
    [[], [""]],
  ])("%j: %j", (value, expected) => expect(paths(value)).toEqual(expected));

  test("what only the server can judge is left to it", () => {
    expect(issuesOf("a".repeat(40), { type: "string", pattern: "^(a+)+b$" })).toEqual([]);
    expect(issuesOf({}, { type: "object", if: {} })).toEqual([]);
  });
});
