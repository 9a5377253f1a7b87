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
    "reads a list",
    '<tool_calls>[\n  {"name": "add_note", "arguments": {"text": "milk"}},\n  {"name": "now", "arguments": {}}\n]</tool_calls>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads a list whose bracket is missing",
    '<tool_calls>[{"name": "add_note", "arguments": {"text": "milk"}}</tool_calls>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "marks the last call of an envelope that is never closed",
    '<tool_calls>[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", false],
    ],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "jamba" }])("jamba %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
