import { expect, test } from "vitest";
import { typedValue } from "./typed-value.ts";

const ID = "1234567890123456789";

test.each([
  ["valid JSON", `{"id": ${ID}, "v": 3.10}`, `{"id": ${ID}, "v": 3.10}`],
  ["Python", `{'id': ${ID}, 'v': 3.10}`, `{"id": ${ID}, "v": 3.10}`],
  ["escaped JSON", `{\\"id\\": ${ID}, \\"v\\": 3.10}`, `{"id": ${ID}, "v": 3.10}`],
  ["anything else, where what does not fit is text", `{id: ${ID}, n: 2}`, `{"id":"${ID}","n":2}`],
])("numbers keep their digits in an object written as text: %s", (_name, raw, json) => {
  expect(typedValue(raw, { type: "object" }, {}, { untyped: "string" })).toBe(json);
});

test("a number beyond all numbers is left for validation to report", () => {
  expect(typedValue("+1e999", { type: "number" }, {}, { untyped: "string" })).toBe('"+1e999"');
});
