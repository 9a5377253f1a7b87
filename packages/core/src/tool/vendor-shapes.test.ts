import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Executor, toAiSdk, toAnthropic, toMcp, toOpenAI, toOpenAIResponses, tool } from "../index.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { validatorFor } from "../schema/validate.ts";
import type { ToolDefinition } from "./definition.ts";
import { vendorName, vendorNames } from "./vendor-name.ts";
import { vendorSchema } from "./vendor-schema.ts";

const drawn = tool({
  name: "draw",
  description: "Draw a shape.",
  input: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number(), label: z.string().optional() }),
    z.object({ kind: z.literal("square"), side: z.number(), label: z.string().optional() }),
  ]),
  safety: { sideEffects: "none" },
  execute: (args) => args,
});

const schemasOf = (definition: ToolDefinition): JsonSchema[] => [
  toOpenAI(definition).function.parameters,
  toOpenAIResponses(definition).parameters,
  toAnthropic(definition).input_schema,
  toAiSdk(definition).inputSchema,
];

describe("a union at the top", () => {
  test("is offered as one object, and its forms are told", () => {
    for (const schema of schemasOf(drawn.definition)) {
      expect(schema).toMatchObject({
        type: "object",
        properties: {
          kind: { enum: ["circle", "square"] },
          radius: { type: "number" },
          side: { type: "number" },
        },
        required: ["kind"],
      });
      expect(Object.keys(schema)).not.toContain("oneOf");
    }
    expect(toAnthropic(drawn.definition).description).toBe(
      "Draw a shape.\nThe arguments take one of these forms: " +
        '{kind: "circle", radius, label?}; {kind: "square", side, label?}.',
    );
  });

  test("is still what arguments are validated against", async () => {
    const executor = new Executor({ tools: [drawn] });
    const call = (args: unknown) => executor.call({ id: "c", name: "draw", arguments: args });
    expect((await call({ kind: "circle", radius: 1 })).isError).toBe(false);
    expect((await call({ kind: "circle", side: 1 })).failure?.kind).toBe("validation");
  });

  test("stays as it is for MCP", () => {
    expect(toMcp(drawn.definition).inputSchema).toBe(drawn.definition.inputSchema);
  });
});

test("a schema that vendors take is offered as it is", () => {
  const schema = { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "number" }] } } };
  expect(vendorSchema(schema).schema).toBe(schema);
});

const thing = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};

test.each<[string, JsonSchema, JsonSchema, unknown[]]>([
  [
    "anyOf of what is required",
    { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { type: "object", properties: { a: {}, b: {} } },
    [{ a: 1 }, { b: 1 }],
  ],
  [
    "allOf",
    { type: "object", allOf: [thing, { properties: { b: { type: "number" } }, required: ["b"] }] },
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    [],
  ],
  [
    "a reference at the top",
    { type: "object", $ref: "#/$defs/thing", $defs: { thing } },
    { type: "object", $defs: { thing }, properties: { a: { type: "string" } }, required: ["a"] },
    [{ a: "x" }],
  ],
  [
    "references as branches, one property in two types",
    {
      type: "object",
      oneOf: [
        { $ref: "#/$defs/thing" },
        { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      ],
      $defs: { thing },
    },
    {
      type: "object",
      $defs: { thing },
      properties: { a: { anyOf: [{ type: "string" }, { type: "number" }] } },
      required: ["a"],
    },
    [{ a: "x" }, { a: 1 }],
  ],
  [
    "closed branches",
    { type: "object", anyOf: [thing, { ...thing, properties: { a: { type: "string" }, b: {} } }] },
    {
      type: "object",
      properties: { a: { type: "string" }, b: {} },
      required: ["a"],
      additionalProperties: false,
    },
    [{ a: "x" }, { a: "x", b: 1 }],
  ],
  [
    "an object or null",
    { type: ["object", "null"], properties: { a: { type: "string" } } },
    { type: "object", properties: { a: { type: "string" } } },
    [{ a: "x" }],
  ],
  [
    "a union that refers to itself",
    {
      type: "object",
      anyOf: [{ $ref: "#/$defs/one" }, { required: ["a"] }],
      $defs: { one: { anyOf: [{ $ref: "#/$defs/one" }] } },
    },
    { type: "object", $defs: { one: { anyOf: [{ $ref: "#/$defs/one" }] } }, properties: {} },
    [],
  ],
])("%s becomes one object that takes whatever the schema takes", (_name, schema, expected, values) => {
  const offered = vendorSchema(schema).schema;
  expect(offered).toEqual(expected);
  for (const value of values) {
    expect(validatorFor(schema).check(value)).toBe(true);
    expect(validatorFor(offered).check(value)).toBe(true);
  }
});

test("a schema whose branches double at every step is offered", () => {
  const $defs: Record<string, unknown> = { d40: { properties: { a: { const: 1 } } } };
  for (let i = 0; i < 40; i++)
    $defs[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
  const many = Array.from({ length: 5_000 }, (_, i) => ({ properties: { a: { minimum: i } } }));
  for (const schema of [
    { type: "object", $ref: "#/$defs/d0", $defs },
    { type: "object", anyOf: many },
    { type: "object", allOf: many },
  ]) {
    expect(vendorSchema(schema).schema.type).toBe("object");
  }
});

describe("names", () => {
  const long = `search_${"the_whole_archive_".repeat(6)}`;
  const TAKEN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

  test("that vendors take stay, others are replaced and found again", () => {
    const definitions = ["search", "files.read", "files_read", long, `${long}2`].map((name) => ({ name }));
    const { to, from } = vendorNames(definitions);
    expect(to("search")).toBe("search");
    expect(to("files_read")).toBe("files_read");
    expect(to("files.read")).toMatch(/^files_read_[0-9a-f]{16}$/);
    expect(new Set(definitions.map(({ name }) => to(name))).size).toBe(definitions.length);
    for (const { name } of definitions) {
      expect(to(name)).toMatch(TAKEN);
      expect(from(to(name))).toBe(name);
    }
    expect(from("never_told")).toBe("never_told");
    for (const invented of ["", "7 days", "-x", "get weather", "ünï", "a/b"])
      expect(to(invented)).toMatch(TAKEN);
  });

  test("cannot be chosen to pass for another's", () => {
    const told = vendorName("files.read");
    const { to, from } = vendorNames([{ name: "files.read" }, { name: told }]);
    expect(to(told)).not.toBe(told);
    expect(from(told)).toBe("files.read");
    expect(from(to(told))).toBe(told);
  });

  test("a call under the name that the vendor was told finds its tool", async () => {
    const read = tool({
      name: "files.read",
      description: "Read",
      input: { type: "object" },
      safety: { sideEffects: "none" },
      execute: () => "read",
    });
    const executor = new Executor({ tools: [read] });
    const { name } = toOpenAI(read.definition).function;
    expect(name).not.toBe("files.read");
    expect((await executor.call({ id: "c", name, arguments: {} })).value).toBe("read");
    expect((await executor.call({ id: "c", name: "files_read", arguments: {} })).isError).toBe(true);
  });
});
