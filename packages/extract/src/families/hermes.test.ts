import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads one call",
    '<tool_call>\n{"name": "add_note", "arguments": {"text": "milk"}}\n</tool_call>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads two calls and keeps the text around them",
    'Noting it.\n<tool_call>{"name": "add_note", "arguments": {"text": "milk"}}</tool_call>\n<tool_call>{"name": "set_light", "arguments": {"room": "hall", "level": 3}}</tool_call>\nAll set.',
    [
      ["add_note", '{"text": "milk"}', true],
      ["set_light", '{"room": "hall", "level": 3}', true],
    ],
    "Noting it.\n\n\nAll set.",
  ],
  [
    "does not end at a closing tag inside a string",
    '<tool_call>{"name": "add_note", "arguments": {"text": "close with </tool_call> and }"}}</tool_call>',
    [["add_note", '{"text": "close with </tool_call> and }"}', true]],
    "",
  ],
  [
    "keeps malformed arguments as written",
    "<tool_call>{'name': 'add_note', 'arguments': {'text': 'milk',}}</tool_call>",
    [["add_note", "{'text': 'milk',}", true]],
    "",
  ],
  [
    "marks a call whose tag is never closed",
    '<tool_call>{"name": "add_note", "arguments": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', false]],
    "",
  ],
  [
    "marks a call that is cut inside its arguments",
    '<tool_call>{"name": "add_note", "arguments": {"text": "mi',
    [["add_note", '{"text": "mi', false]],
    "",
  ],
  [
    "takes arguments before the name and given as a string",
    '<tool_call>{"arguments": "{\\"text\\": \\"milk\\"}", "name": "add_note"}</tool_call>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads a list in one tag",
    '<tool_call>[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]</tool_call>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "takes a call without arguments only where none are required",
    '<tool_call>{"name": "now"}</tool_call><tool_call>{"name": "add_note"}</tool_call>',
    [["now", "{}", true]],
    '<tool_call>{"name": "add_note"}</tool_call>',
  ],
];

describe.each([{ tools }, { tools, family: "hermes" }])("hermes %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
