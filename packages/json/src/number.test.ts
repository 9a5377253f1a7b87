import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const either = { type: ["string", "integer"] };

function read(schema: object | boolean, literal: string) {
  const decoded = decode(`{"v": ${literal}}`, { schema: { type: "object", properties: { v: schema } } });
  return decoded.ok ? (decoded.value as { v: unknown }).v : decoded.failure.message;
}

describe("a number where text is wanted keeps its characters", () => {
  test.each([
    [text, "3.10", "3.10"],
    [{ type: "array", items: text }, "[3.9, 3.10, 3.11]", ["3.9", "3.10", "3.11"]],
    [{ enum: ["1.1", "1.10"] }, "1.10", "1.10"],
    [text, "10.00", "10.00"],
    [text, "1234567e8", "1234567e8"],
    [text, "1234567890123456789012345", "1234567890123456789012345"],
    [either, "1234567890123456789", "1234567890123456789"],
  ])("%j %s", (schema, literal, meant) => {
    expect(read(schema, literal)).toEqual(meant);
  });

  test("also in a document that has to be repaired, and it is listed", () => {
    const schema = { type: "object", properties: { v: text } };
    expect(decode("{v: 3.10,}", { schema })).toMatchObject({
      value: { v: "3.10" },
      degree: "exact",
      repairs: expect.arrayContaining([expect.objectContaining({ kind: "number-text", before: "3.10" })]),
    });
  });
});

describe("what a double cannot hold is text where the schema takes anything", () => {
  const id = "1234567890123456789";
  test.each<[string, object | boolean, string, unknown]>([
    ["true", true, id, id],
    ["an empty schema", {}, id, id],
    ["beyond all numbers", true, "1e999", "1e999"],
    ["a list of anything", { type: "array" }, `[1, ${id}]`, [1, id]],
    ["an object of anything", { type: "object" }, `{"a": [{"b": ${id}}]}`, { a: [{ b: id }] }],
    ["other properties", { properties: { a: text }, additionalProperties: true }, `{"b": ${id}}`, { b: id }],
    ["properties not named", { properties: { a: text } }, `{"a": "x", "b": [${id}]}`, { a: "x", b: [id] }],
    ["a union", { anyOf: [whole, text] }, id, id],
    [
      "a union of objects",
      { oneOf: [{ properties: { a: whole } }, { properties: { a: text } }] },
      `{"a": ${id}}`,
      { a: id },
    ],
  ])("%s", (_name, schema, literal, meant) => {
    expect(read(schema, literal)).toEqual(meant);
    expect(read(schema, literal.replace("]", ",]").replace("}", ",}"))).toEqual(meant);
  });
});

test.each([
  ["prefixItems", { prefixItems: [whole, text] }, "[1, 3.10]", [1, "3.10"]],
  ["what follows them", { prefixItems: [whole], items: text }, "[1, 2.0, 3.10]", [1, "2.0", "3.10"]],
  ["items of an older draft", { items: [whole, text] }, "[1, 3.10]", [1, "3.10"]],
  ["additionalItems", { items: [whole], additionalItems: text }, "[1, 3.10]", [1, "3.10"]],
])("an element of a tuple is judged by its own schema: %s", (_name, schema, literal, meant) => {
  expect(read({ type: "array", ...schema }, literal)).toEqual(meant);
});

test.each([
  [whole, "1234567890123456789"],

  [whole, "-9007199254740993"],
  [whole, "1e999"],
  [{ type: "number" }, "-1e999"],
  [{ type: "number" }, "+1e999"],
  [whole, "0xFFFFFFFFFFFFFFFF"],
])("what a double cannot hold is refused: %j %s", (schema, literal) => {
  expect(read(schema, literal)).toContain(`The number ${literal} at position 6 has more digits`);
});

test.each([
  ["9007199254740992", 9007199254740992],
  ["1.50", 1.5],
  ["3.14159265358979323846", Math.PI],
  ["1e3", 1000],
])("any other number is what JSON makes of it: %s", (literal, value) => {
  expect(read({ type: "number" }, literal)).toBe(value);
});

test("without a schema a document is what JSON.parse gives", () => {
  const document = '{"v": 1234567890123456789}';
  expect(decode(document)).toMatchObject({ value: JSON.parse(document), mode: "strict" });
});
