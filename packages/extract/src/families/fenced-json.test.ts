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
    "reads a fence after a sentence",
    'I\'ll do that.\n```json\n{"name": "add_note", "arguments": {"text": "milk"}}\n```',
    [["add_note", '{"text": "milk"}', true]],
    "I'll do that.\n",
  ],
  [
    "reads two objects in a fence and two fences",
    '```\n{"name": "add_note", "arguments": {"text": "milk"}}\n{"name": "now", "arguments": {}}\n```\n```tool_call\n{"name": "now", "arguments": {}}\n```',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
      ["now", "{}", true],
    ],
    "\n",
  ],
  [
    "takes a fence with anything else in it for text",
    '```json\n{"name": "add_note", "arguments": {"text": "milk"}}\n// and so on\n```',
    [],
    '```json\n{"name": "add_note", "arguments": {"text": "milk"}}\n// and so on\n```',
  ],
  [
    "takes a fence that is announced as an example for text",
    'You would write:\n\n```json\n{"name": "add_note", "arguments": {"text": "milk"}}\n```\n',
    [],
    'You would write:\n\n```json\n{"name": "add_note", "arguments": {"text": "milk"}}\n```\n',
  ],
  [
    "takes another language for text",
    '```yaml\n{"name": "add_note", "arguments": {"text": "milk"}}\n```',
    [],
    '```yaml\n{"name": "add_note", "arguments": {"text": "milk"}}\n```',
  ],
  [
    "takes data for text",
    '```json\n{"name": "now", "version": "1.0.0"}\n```',
    [],
    '```json\n{"name": "now", "version": "1.0.0"}\n```',
  ],
  [
    "marks a fence that is never closed",
    '```json\n{"name": "add_note", "arguments": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "fenced-json" }])("fenced-json %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
