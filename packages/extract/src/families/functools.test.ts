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
    'functools[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads a list after a sentence",
    'Sure thing. functools[{"name": "add_note", "arguments": {"text": "milk"}}]',
    [["add_note", '{"text": "milk"}', true]],
    "Sure thing. ",
  ],
  [
    "reads a list between tags",
    '<|tool_call|>[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]<|/tool_call|>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "takes the Python module for text",
    "Use functools.wraps or functools[0] there.",
    [],
    "Use functools.wraps or functools[0] there.",
  ],
];

describe.each([{ tools }, { tools, family: "phi4-mini" }])("functools %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
