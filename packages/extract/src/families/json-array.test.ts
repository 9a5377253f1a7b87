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
    '[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads a list with a bracket too many",
    '[{"name": "add_note", "arguments": {"text": "milk"}}]]',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "takes a list of people for data",
    '[{"name": "Ann", "arguments": {}}]',
    [],
    '[{"name": "Ann", "arguments": {}}]',
  ],
  ["takes a list of numbers for text", "[4, 5]", [], "[4, 5]"],
];

describe.each([{ tools }, { tools, family: "json-array" }])("json-array %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
