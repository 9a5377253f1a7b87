import type { JsonSchema, ToolDefinition } from "@toolrig/core";
import { describe, expect, test } from "vitest";
import { projectAnthropic, projectGemini, projectOpenAI } from "./project.ts";

describe("schemas that multiply", () => {
  const projections = [
    ["OpenAI", (each: ToolDefinition) => projectOpenAI(each, { strict: true })],
    ["Gemini", projectGemini],
    ["Anthropic", projectAnthropic],
  ] as const;
  const given = (inputSchema: JsonSchema): ToolDefinition => ({ name: "t", description: "", inputSchema });
  const deep = (levels: number) => {
    let schema: JsonSchema = { type: "string" };
    for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
    return schema;
  };
  const chain = (count: number, link: (next: JsonSchema) => JsonSchema) => {
    const $defs: Record<string, JsonSchema> = { [`d${count}`]: { type: "object", properties: { z: {} } } };
    for (let index = 0; index < count; index++) $defs[`d${index}`] = link({ $ref: `#/$defs/d${index + 1}` });
    return { type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs };
  };
  const doubledUnion = (levels: number): JsonSchema => {
    let schema: JsonSchema = { type: "object", properties: { z: { type: "string" } } };
    for (let level = 0; level < levels; level++)
      schema = {
        type: "object",
        properties: { a: schema },
        anyOf: [{ required: ["a"] }, { minProperties: 1 }],
      };
    return schema;
  };
  const hostile: Record<string, JsonSchema> = {
    deep: deep(20_000),
    "allOf three times": chain(13, (next) => ({ allOf: [next, next, next] })),
    "allOf three times, each its own": chain(13, (next) => ({
      allOf: [1, 2, 3].map((minProperties) => ({ ...next, minProperties })),
    })),
    "anyOf three times": chain(25, (next) => ({ anyOf: [next, next, next] })),
    "properties that double": chain(31, (next) => ({ type: "object", properties: { a: next, b: next } })),
    "described properties that double": chain(20, (next) => ({
      type: "object",
      properties: { a: { ...next, description: "x".repeat(2_000) }, b: next },
    })),
    "unions that double without a reference": doubledUnion(18),
    "a long chain": chain(20_000, (next) => next),
    "a long chain of properties": chain(5_000, (next) => ({ type: "object", properties: { a: next } })),
    "one that leads to itself": { type: "object", properties: { x: { $ref: "#/properties/x" } } },
    "a deep union at the top": { anyOf: [deep(20_000), deep(20_001)] },
  };

  /** So deep that it cannot be written. */
  const isDeep = (schema: JsonSchema) => {
    try {
      return JSON.stringify(schema) === undefined;
    } catch {
      return true;
    }
  };

  test("a deep object in a union is taken back without twice the work for every level", () => {
    const nested = (levels: number, leaf: JsonSchema): JsonSchema =>
      levels === 0 ? leaf : { type: "object", properties: { a: nested(levels - 1, leaf) } };
    const flags = nested(40, { type: "object", additionalProperties: { type: "boolean" } });
    const tool = projectGemini(
      given({ type: "object", properties: { x: { anyOf: [{ type: "string" }, flags] } } }),
    );
    const within = (value: unknown) => {
      let whole = value;
      for (let level = 0; level < 40; level++) whole = { a: whole };
      return { x: whole };
    };
    expect(tool.back(within([{ key: "on", value: true }]))).toEqual(within({ on: true }));
  });

  describe.each(projections)("for %s", (_, project) => {
    test.each(Object.entries(hostile))("%s: the projection ends, and so does the way back", (_, schema) => {
      const tool = project(given(schema));
      expect(tool.schema).toMatchObject({ type: "object" });
      if (!isDeep(schema)) {
        const most = 2 * (100_000 + 2 * JSON.stringify(schema).length);
        expect(JSON.stringify(tool.schema).length).toBeLessThan(most);
      }
      expect(tool.back({ x: { z: "1" } })).toBeDefined();
    });

    test("unions that hold each other take a value back without trying all ways", () => {
      const node = (name: string) => ({
        type: "object",
        properties: { n: { $ref: "#/$defs/r" }, [name]: {} },
        required: ["n"],
      });
      const schema = {
        type: "object",
        properties: { r: { $ref: "#/$defs/r" } },
        required: ["r"],
        $defs: { r: { anyOf: [node("a"), node("b"), { type: "integer" }] } },
      };
      const tool = project(given(schema));
      let value: unknown = "nothing that fits";
      for (let level = 0; level < 60; level++) value = { n: value, a: null };
      expect(tool.back({ r: value })).toBeDefined();
    });
  });
});
