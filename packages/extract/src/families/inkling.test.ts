import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  { name: "now", inputSchema: schema({}) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads two calls",
    '<|content_invoke_tool_json|>{"name":"add_note","args":{"text": "milk"}}<|end_message|><|content_invoke_tool_json|>{"name":"now","args":{}}<|end_message|>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "takes what follows an unreadable call for text",
    '<|content_invoke_tool_json|>{"name" now<|end_message|><|content_invoke_tool_json|>{"name":"now","args":{}}<|end_message|>',
    [],
    '<|content_invoke_tool_json|>{"name" now<|end_message|><|content_invoke_tool_json|>{"name":"now","args":{}}<|end_message|>',
  ],
];

describe.each([{ tools }, { tools, family: "inkling" }])("inkling %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
