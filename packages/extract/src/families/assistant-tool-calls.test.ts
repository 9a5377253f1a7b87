import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads a list",
    '<assistant_tool_calls>[{"name": "add_note", "arguments": {"text": "milk"}}]</assistant_tool_calls>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads objects as providers write them",
    '<assistant_tool_calls>[{"id": "1", "type": "function", "function": {"name": "add_note", "arguments": "{\\"text\\": \\"milk\\"}"}}]</assistant_tool_calls>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "assistant-tool-calls" }])(
  "assistant-tool-calls %#",
  (options) => {
    test.each(cases)("%s", (_title, text, calls, content) => {
      const found = extract(text, options);
      expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
      expect(found.content).toBe(content);
    });
  },
);
