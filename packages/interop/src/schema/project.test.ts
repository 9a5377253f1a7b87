import type { JsonSchema, ToolDefinition } from "@toolrig/core";
import { validatorFor } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { projectAnthropic, projectGemini, projectOpenAI } from "./project.ts";

const tool = (inputSchema: JsonSchema): ToolDefinition => ({ name: "t", description: "Do it", inputSchema });
const strict = (schema: JsonSchema) => projectOpenAI(tool(schema), { strict: true });
const gemini = (schema: JsonSchema) => projectGemini(tool(schema));
const text = { type: "string" } as const;

test("what is optional may be null under strict, and is absent for the tool", () => {
  const { schema, back, lost } = strict({
    type: "object",
    properties: {
      a: text,
      b: { type: "integer", minimum: 1 },
      c: { enum: ["x", "y"] },
      d: { type: "array", items: text },
    },
    required: ["a"],
  });
  expect(schema).toEqual({
    type: "object",
    properties: {
      a: text,
      b: { type: ["integer", "null"], minimum: 1 },
      c: { type: ["string", "null"], enum: ["x", "y", null] },
      d: { anyOf: [{ type: "array", items: text }, { type: "null" }] },
    },
    required: ["a", "b", "c", "d"],
    additionalProperties: false,
  });
  expect(lost).toEqual([]);
  expect(back({ a: "1", b: null, c: "x", d: null })).toEqual({ a: "1", c: "x" });
});

const tree: JsonSchema = {
  type: "object",
  properties: { root: { $ref: "#/$defs/node" } },
  required: ["root"],
  $defs: {
    node: {
      type: "object",
      properties: {
        name: text,
        weight: { type: "number" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["name"],
    },
  },
};

test("recursive references stay under strict, and come back at every level", () => {
  const { schema, back } = strict(tree);
  const leaf = { name: "leaf", weight: null, children: null };
  const told = { root: { name: "top", weight: 1, children: [{ ...leaf, children: [leaf] }] } };
  expect(validatorFor(schema).check(told)).toBe(true);
  const own = {
    root: { name: "top", weight: 1, children: [{ name: "leaf", children: [{ name: "leaf" }] }] },
  };
  expect(back(told)).toEqual(own);
  expect(
    strict({ $ref: "#/$defs/node", $defs: tree.$defs }).back({ name: "x", weight: null, children: [leaf] }),
  ).toEqual({
    name: "x",
    children: [{ name: "leaf" }],
  });
});

test("recursive references are written out for Gemini, and deeper down are JSON text", () => {
  const { schema, back, lost } = gemini(tree);
  expect(JSON.stringify(schema)).not.toContain("$ref");
  expect(lost).toContainEqual(expect.objectContaining({ what: "recursion" }));
  const deep = (levels: number): unknown => ({
    name: "n",
    ...(levels > 0 && { children: [deep(levels - 1)] }),
  });
  const told = {
    root: {
      name: "n",
      children: [{ name: "n", children: [{ name: "n", children: [JSON.stringify(deep(2))] }] }],
    },
  };
  expect(back(told)).toEqual({ root: deep(5) });
});

test("lists of choices that are too long are any text, and said in words", () => {
  const choices = Array.from({ length: 2_000 }, (_, index) => `choice ${index}`);
  for (const { schema, lost } of [strict, gemini].map((to) =>
    to({ type: "object", properties: { c: { enum: choices } }, required: ["c"] }),
  )) {
    expect((schema.properties as Record<string, unknown>).c).toEqual({
      type: "string",
      description: expect.stringContaining('One of 2000 values, such as "choice 0"'),
    });
    expect(lost).toMatchObject([{ path: "/properties/c", what: "2000 choices" }]);
  }
});

test("keywords and formats that a vendor does not take are said in words, and listed", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      link: { type: "string", format: "uri", minLength: 3, description: "Where to" },
      tags: { type: "array", items: text, uniqueItems: true, contains: { const: "a" } },
    },
    required: ["link", "tags"],
  };
  const { schema: told, lost } = strict(schema);
  expect((told.properties as Record<string, unknown>).link).toEqual({
    type: "string",
    description: "Where to (format: uri, minLength: 3)",
  });
  expect(lost.map(({ path, instead }) => [path, instead])).toEqual([
    ["/properties/link/format", "said in words"],
    ["/properties/link/minLength", "said in words"],
    ["/properties/tags/uniqueItems", "said in words"],
    ["/properties/tags/contains", "not said"],
  ]);
  expect(gemini(schema).lost.map(({ path }) => path)).toEqual([
    "/properties/link/format",
    "/properties/tags/uniqueItems",
    "/properties/tags/contains",
  ]);
});

test("what several schemas ask together is one, as far as that can be said", () => {
  const { schema, lost } = strict({
    type: "object",
    properties: {
      n: {
        allOf: [
          { type: "number", minimum: 1 },
          { type: "integer", minimum: 3, maximum: 9 },
        ],
      },
    },
    required: ["n"],
  });
  expect((schema.properties as Record<string, unknown>).n).toEqual({
    type: "integer",
    minimum: 3,
    maximum: 9,
  });
  expect(lost).toEqual([]);
});

test("a schema that is too large for strict is offered as it is", () => {
  let deep: JsonSchema = { type: "object", properties: { end: text }, required: ["end"] };
  for (let level = 0; level < 12; level++)
    deep = { type: "object", properties: { deep }, required: ["deep"] };
  const { strict: isStrict, schema, lost } = strict(deep);
  expect([isStrict, schema]).toEqual([false, deep]);
  expect(lost.at(-1)).toMatchObject({ what: "strict mode", instead: expect.stringContaining("depth 13") });
});

test("tools without arguments, and tools whose arguments have no names", () => {
  expect(strict({ type: "object" }).schema).toEqual({
    type: "object",
    properties: {},
    required: [],
    additionalProperties: false,
  });
  const map: JsonSchema = { type: "object", additionalProperties: { type: "number" } };
  for (const { back } of [strict(map), gemini(map)])
    expect(back({ entries: [{ key: "a", value: 1 }] })).toEqual({ a: 1 });
});

test("names that Anthropic does not take for properties are others, and come back", () => {
  const { schema, back } = projectAnthropic(
    tool({ type: "object", properties: { "a b": text, a_b: text }, required: ["a b"] }),
  );
  expect(schema).toMatchObject({ properties: { a_b_2: text, a_b: text }, required: ["a_b_2"] });
  expect(back({ a_b_2: "1", a_b: "2" })).toEqual({ "a b": "1", a_b: "2" });
});

test("references that lead nowhere, and schemas that are none, are taken as anything", () => {
  for (const part of [{ $ref: "#/nowhere" }, { $ref: "https://elsewhere.example" }, true, { type: "object" }])
    for (const to of [strict, gemini])
      expect(() => to({ type: "object", properties: { part } }).back({ part: "{}" })).not.toThrow();
});

test("a stranger's schema takes bounded time, and changes nothing of ours", () => {
  const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
  const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const hostile: JsonSchema = {
    type: "object",
    properties: all,
    $defs: Object.fromEntries(names.map((name) => [name, { type: "object", properties: all }])),
  };
  const own = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string"}}}',
  );
  for (const schema of [hostile, own]) for (const to of [strict, gemini]) to(schema);
  expect(({} as Record<string, unknown>).type).toBeUndefined();
  expect(gemini(own).back(JSON.parse('{"__proto__":"a"}'))).toEqual(JSON.parse('{"__proto__":"a"}'));
});

test("JSON text is its value, also null behind a reference that was met before", () => {
  const any = { $ref: "#/$defs/any" };
  const inputSchema = {
    type: "object",
    properties: { first: any, second: any, list: { type: "array", items: any } },
    required: ["first", "second", "list"],
    $defs: { any: {} },
  };
  const said = { first: "null", second: "null", list: ["null", "1"] };
  const definition = { name: "t", description: "", inputSchema };
  for (const tool of [projectOpenAI(definition, { strict: true }), projectGemini(definition)])
    expect(tool.back(said)).toEqual({ first: null, second: null, list: [null, 1] });
});

test("null of a property that is said to be nullable is a value of its own", () => {
  const definition = {
    name: "t",
    description: "",
    inputSchema: { type: "object", properties: { a: { type: "string", nullable: true } } },
  };
  const tool = projectOpenAI(definition, { strict: true });
  expect(tool.schema.properties).toEqual({ a: { type: ["string", "null"] } });
  expect(tool.back({ a: null })).toEqual({ a: null });
  expect(tool.lost.map(({ what }) => what)).toContain("absence");
});
