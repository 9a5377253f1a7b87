import { Type as Type034 } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema, zodSchema } from "ai";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { acceptInputSchema, acceptSchema } from "./accept.ts";
import { validatorFor } from "./validate.ts";

const standard = {
  zod: z.object({ query: z.string(), limit: z.number().int().optional() }),
  valibot: toStandardJsonSchema(
    v.object({ query: v.string(), limit: v.optional(v.pipe(v.number(), v.integer())) }),
  ),
  arktype: type({ query: "string", "limit?": "number.integer" }),
  "AI SDK from zod": zodSchema(z.object({ query: z.string(), limit: z.number().int().optional() })),
};
const structural = {
  "TypeBox 1": Type.Object({ query: Type.String(), limit: Type.Optional(Type.Integer()) }),
  "TypeBox 0.34": Type034.Object({ query: Type034.String(), limit: Type034.Optional(Type034.Integer()) }),
  "JSON Schema": {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer" } },
    required: ["query"],
  },
  "AI SDK": jsonSchema({
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer" } },
    required: ["query"],
  }),
};

describe.each(Object.entries({ ...standard, ...structural }))("%s", (_name, schema) => {
  test("becomes JSON Schema that accepts and refuses the same values", () => {
    const { check } = validatorFor(acceptInputSchema(schema, "input").jsonSchema);
    expect(check({ query: "a" })).toBe(true);
    expect(check({ query: "a", limit: 3 })).toBe(true);
    expect(check({ query: "a", limit: "3" })).toBe(false);
    expect(check({ limit: 3 })).toBe(false);
    expect(check("a")).toBe(false);
  });

  test("is frozen plain data", () => {
    const accepted = acceptSchema(schema, "input");
    expect(JSON.parse(JSON.stringify(accepted.jsonSchema))).toEqual(accepted.jsonSchema);
    expect(Object.isFrozen(accepted.jsonSchema.properties)).toBe(true);
    expect(Object.getOwnPropertySymbols((accepted.jsonSchema.properties as { query: object }).query)).toEqual(
      [],
    );
  });
});

test.each(Object.entries(standard))("%s brings its own validator", async (_name, schema) => {
  const { parse } = acceptSchema(schema, "input");
  expect(await parse?.({ query: "a" })).toMatchObject({ value: { query: "a" } });
  expect((await parse?.({ query: 1 }))?.issues?.length).toBeGreaterThan(0);
});

test.each(Object.entries(structural))("%s has no validator but the JSON Schema", (_name, schema) => {
  expect(acceptSchema(schema, "input").parse).toBeUndefined();
});

test("a transform's JSON Schema describes what the model writes, its parse gives what execute receives", async () => {
  const schema = z.object({
    when: z.string().transform((text) => text.length),
    mode: z.string().default("fast"),
  });
  const { jsonSchema, parse } = acceptInputSchema(schema, "input");
  expect(validatorFor(jsonSchema).check({ when: "now" })).toBe(true);
  expect(await parse?.({ when: "now" })).toEqual({ value: { when: 3, mode: "fast" } });
});

test("a schema that is made lazily is accepted", () => {
  const lazy = () => jsonSchema({ type: "object", required: ["a"] });
  expect(acceptSchema(lazy, "input").jsonSchema).toEqual({ type: "object", required: ["a"] });
});

test.each([
  ["a date in a union", z.object({ at: z.union([z.string(), z.date()]) }), { at: "now" }],
  ["undefined in a union", type({ "at?": "string | undefined" }), { at: "now" }],
  ["a date that is made of text", z.object({ at: z.coerce.date() }), { at: "2024-05-01T00:00:00Z" }],
  ["a date after a transform", z.object({ at: z.string().transform(Date).pipe(z.any()) }), { at: "now" }],
  [
    "a codec",
    z.object({ at: z.codec(z.string(), z.date(), { decode: (s) => new Date(s), encode: String }) }),
    { at: "now" },
  ],
  ["a custom type", z.object({ at: z.custom((x) => x === "now") }), { at: "now" }],
])("%s can be satisfied by JSON", (_name, schema, value) => {
  const { jsonSchema, parse } = acceptInputSchema(schema, "input");
  expect(validatorFor(jsonSchema).check(value)).toBe(true);
  expect(JSON.stringify(jsonSchema)).not.toContain("never");
  expect(parse).toBeDefined();
});

test("changing the schema afterwards changes nothing", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const accepted = acceptSchema(schema, "input");
  schema.properties.a.type = "number";
  expect(accepted.jsonSchema.properties).toEqual({ a: { type: "string" } });
});

test("__proto__ in a schema is a property like any other", () => {
  const { jsonSchema } = acceptSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), "input");
  expect(Object.keys(jsonSchema.properties as object)).toEqual(["__proto__"]);
  expect(({} as { type?: unknown }).type).toBeUndefined();
});

test.each([
  ["bare valibot", v.object({}), "toStandardJsonSchema"],
  ["zod 3", z3.object({}), "zod 4.2 or later"],
  [
    "an unknown library",
    { "~standard": { version: 1, vendor: "acme", validate: () => ({ value: 1 }) } },
    "acme",
  ],
  ["a type that JSON cannot express", z.object({ when: z.date() }), "cannot express"],
  ["a file", z.object({ upload: z.file() }), '"upload" as JSON'],
  ["an optional date", z.object({ when: z.date().optional() }), '"when" as JSON'],
  ["a date in a list of objects", z.object({ l: z.array(z.object({ at: z.date() })) }), '"l.at" as JSON'],
  ["arktype's Date", type({ when: "Date" }), '"when" as JSON'],
  ["arktype's bigint", type({ n: "bigint" }), '"n" as JSON'],
  ["valibot's date", toStandardJsonSchema(v.object({ when: v.date() })), '"when" as JSON'],
  [
    "a check in TypeBox",
    Type.Object({ s: Type.Refine(Type.String(), (s) => s !== "") }),
    "Type.Refine is code",
  ],
  [
    "a codec of TypeBox",
    Type.Object({ s: Type.Decode(Type.String(), Number) }),
    "Type.Decode and Encode is code",
  ],
  [
    "a transform of TypeBox 0.34",
    Type034.Object({ s: Type034.Transform(Type034.String()).Decode(Number).Encode(String) }),
    "is code",
  ],
  ["a boolean", true, "boolean true"],
  ["null", null, "null"],
  ["an array", [{ type: "string" }], "an array"],
  ["a string", "object", "string object"],
  ["nothing", undefined, "undefined"],
  ["a function", () => ({ type: "object" }), "function"],
  ["a class", class Input {}, "function"],
  ["a promise", Promise.resolve({ type: "object" }), "Await it"],
  [
    "an AI SDK schema made of a promise",
    jsonSchema(Promise.resolve({ type: "object" }) as never),
    "Await it",
  ],
  ["an instance", new Map(), "Map"],
  ["properties without an object around them", { query: z.string() }, "z.object"],
])("refuses %s, naming the field and the fix", (_name, schema, hint) => {
  expect(() => acceptSchema(schema, "input")).toThrow(
    expect.objectContaining({ code: "SCHEMA_UNSUPPORTED", message: expect.stringMatching(/^input: /) }),
  );
  expect(() => acceptSchema(schema, "input")).toThrow(hint);
});

test("a schema that contains itself is refused", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { self: schema };
  expect(() => acceptSchema(schema, "input")).toThrow(/^input: the schema is not plain JSON data/);
});

describe("arguments are an object", () => {
  test.each([
    [{}, { type: "object" }],
    [{ properties: { a: {} } }, { type: "object", properties: { a: {} } }],
    [{ type: "object" }, { type: "object" }],
    [{ type: ["object", "null"] }, { type: ["object", "null"] }],
    [{ anyOf: [{ required: ["a"] }] }, { type: "object", anyOf: [{ required: ["a"] }] }],
  ])("%j is accepted", (schema, expected) => {
    expect(acceptInputSchema(schema, "input").jsonSchema).toEqual(expected);
  });

  test.each([{ type: "string" }, { type: ["array", "null"] }, Type.Array(Type.String()), z.string()])(
    "%j is not",
    (schema) => {
      expect(() => acceptInputSchema(schema, "input")).toThrow(/^input: a tool's arguments are an object/);
    },
  );

  test("an output may be anything", () => {
    expect(acceptSchema(z.string(), "output").jsonSchema.type).toBe("string");
  });
});
