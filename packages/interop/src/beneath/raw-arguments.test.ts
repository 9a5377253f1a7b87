import { expect, test } from "vitest";
import { unwrapped, wrapped } from "./raw-arguments.ts";

test.each(["", " ", "{}", '{"a": 1}'])("text that is an object and whole stays as it is: %j", (text) => {
  expect(wrapped(text, true)).toBeUndefined();
});

test.each(["{a: 1}", '{"a": "b', "[1]", '"text"', "3", "null", "not JSON"])("text comes back: %j", (text) => {
  expect(unwrapped(wrapped(text, true))).toEqual({ arguments: text });
});

test.each(["", '{"a": 1}', '{"a": "b'])("what was cut off says so: %j", (text) => {
  expect(unwrapped(wrapped(text, false))).toEqual({ arguments: text, complete: false });
});

test.each([
  [{}],
  [{ a: 1 }],
  [{ unparsed_arguments: 1 }],
  [{ unparsed_arguments: "{}", more: 1 }],
  ["text"],
  [undefined],
])("other arguments are left alone: %j", (args) => {
  expect(unwrapped(args)).toEqual({ arguments: args });
});
