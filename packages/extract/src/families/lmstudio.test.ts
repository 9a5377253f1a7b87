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
    "reads two calls",
    '[TOOL_REQUEST]\n{"name": "add_note", "arguments": {"text": "milk"}}\n[END_TOOL_REQUEST]\n[TOOL_REQUEST]{"name": "now", "arguments": {}}[END_TOOL_REQUEST]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "\n",
  ],
  [
    "reads nothing in a result",
    '[TOOL_RESULT][TOOL_REQUEST]{"name": "now", "arguments": {}}[END_TOOL_REQUEST][END_TOOL_RESULT]',
    [],
    '[TOOL_RESULT][TOOL_REQUEST]{"name": "now", "arguments": {}}[END_TOOL_REQUEST][END_TOOL_RESULT]',
  ],
];

describe.each([{ tools }, { tools, family: "lmstudio-tool-request" }])("lmstudio %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
