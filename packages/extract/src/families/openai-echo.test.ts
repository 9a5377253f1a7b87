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
    "reads calls after prose",
    'Here we go:\n{"tool_calls": [{"id": "a", "type": "function", "function": {"name": "add_note", "arguments": "{\\"text\\": \\"milk\\"}"}}, {"function": {"name": "now", "arguments": {}}}]}',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "Here we go:\n",
  ],
  ["takes an empty list for data", '{"tool_calls": []}', [], '{"tool_calls": []}'],
];

describe.each([{ tools }, { tools, family: "openai-echo" }])("openai-echo %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
