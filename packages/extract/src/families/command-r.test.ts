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
    "reads a fence after its label",
    'I will look.\nAction:\n```json\n[\n  {"tool_name": "add_note", "parameters": {"text": "milk"}},\n  {"tool_name": "now", "parameters": {}}\n]\n```',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "I will look.\n",
  ],
  [
    "takes the answer action for text",
    'Action:\n```json\n[{"tool_name": "directly-answer", "parameters": {}}]\n```',
    [],
    'Action:\n```json\n[{"tool_name": "directly-answer", "parameters": {}}]\n```',
  ],
];

describe.each([{ tools }, { tools, family: "command-r" }])("command-r %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
