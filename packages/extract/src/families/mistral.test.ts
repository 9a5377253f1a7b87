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
    '[TOOL_CALLS] [{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads a list after text and before an end token",
    'Sure[TOOL_CALLS][{"name": "add_note", "arguments": {"text": "milk"}}]</s>',
    [["add_note", '{"text": "milk"}', true]],
    "Sure",
  ],
  [
    "leaves the token alone when no list follows",
    "The [TOOL_CALLS] token starts a list.",
    [],
    "The [TOOL_CALLS] token starts a list.",
  ],
  [
    "reads arguments that hold brackets",
    '[TOOL_CALLS][{"name": "add_note", "arguments": {"text": "[TOOL_CALLS] ]}"}}]',
    [["add_note", '{"text": "[TOOL_CALLS] ]}"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "mistral" }])("mistral %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
