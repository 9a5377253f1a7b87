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
    "reads a call as the whole message",
    '{"name": "add_note", "parameters": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads several joined by semicolons",
    '{"name": "now", "parameters": {}}; {"name": "add_note", "parameters": {"text": "milk"}}',
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "",
  ],
  [
    "reads calls after the tag",
    'Checking. <|python_tag|>{"name": "now", "parameters": {}};{"name": "add_note", "parameters": {"text": "milk"}}<|eom_id|>',
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "Checking. ",
  ],
  [
    "reads the built-in form",
    '<|python_tag|>add_note.call(text="milk")',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "refuses an echoed definition",
    '{"name": "add_note", "description": "Adds", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}',
    [],
    '{"name": "add_note", "description": "Adds", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}',
  ],
  [
    "refuses descriptions of parameters",
    '{"name": "add_note", "parameters": {"text": {"type": "string", "description": "the text"}}}',
    [],
    '{"name": "add_note", "parameters": {"text": {"type": "string", "description": "the text"}}}',
  ],
];

describe.each([{ tools }, { tools, family: "llama3-json" }])("llama3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
