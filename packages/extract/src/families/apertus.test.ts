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
    "reads a list of names with arguments",
    '<|tools_prefix|>[{"add_note": {"text": "milk"}}, {"now": {}}]<|tools_suffix|>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "passes over names that are not tools",
    '<|tools_prefix|>[{"ghost": {}}, {"now": {}}]<|tools_suffix|>',
    [["now", "{}", true]],
    "",
  ],
  [
    "marks a list that is cut",
    '<|tools_prefix|>[{"add_note": {"text": "milk"}',
    [["add_note", '{"text": "milk"}', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "apertus" }])("apertus %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
