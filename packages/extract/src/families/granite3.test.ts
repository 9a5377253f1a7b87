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
    '<|tool_call|>[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads a list whose bracket is missing",
    '<|tool_call|>[{"name": "add_note", "arguments": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "granite3" }])("granite3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
