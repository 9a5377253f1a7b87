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
    "reads a list after reasoning",
    '<think>[{"name": "now", "arguments": {}}]</think>[{"name": "add_note", "arguments": {"text": "milk"}}]',
    [["add_note", '{"text": "milk"}', true]],
    '<think>[{"name": "now", "arguments": {}}]</think>',
  ],
  [
    "reads a list in a fence",
    'Right.\n```json\n[{"name": "add_note", "arguments": {"text": "milk"}}]\n```',
    [["add_note", '{"text": "milk"}', true]],
    "Right.\n",
  ],
  [
    "reads a list after the token",
    '[TOOL_CALLS][{"name": "add_note", "arguments": {"text": "milk"}}]',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "xlam" }])("xlam %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
