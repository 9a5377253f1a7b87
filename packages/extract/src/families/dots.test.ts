import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads tags",
    'ok<dots_function_call><invoke name="add_note"><parameter name="text">milk</parameter></invoke></dots_function_call>',
    [["add_note", '{"text": "milk"}', true]],
    "ok",
  ],
  [
    "reads a call object",
    '<dots_function_call>{"name": "add_note", "arguments": {"text": "milk"}}</dots_function_call>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "dots" }])("dots %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
