import { expect, test } from "vitest";
import { validatorFor } from "./validate.ts";

const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

test.each([
  ["an object without other properties", closed, true],
  ["a list of such objects", { type: "array", items: closed }, true],
  ["a map of such objects", { type: "object", additionalProperties: closed }, true],
  ["an object that says nothing of its properties", { type: "object" }, true],
  ["an object that takes other properties", { type: "object", properties: { a: { type: "string" } } }, false],
  ["an open object within", { ...closed, properties: { a: { properties: { b: {} } } } }, false],
  ["an open object in a list", { type: "array", items: { properties: { a: {} } } }, false],
  ["a union", { anyOf: [closed, { type: "object", properties: { b: {} } }] }, false],
])("%s", (_name, schema, expected) => {
  expect(validatorFor(schema).closed).toBe(expected);
});
