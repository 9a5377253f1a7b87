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
    "reads a call after the separator",
    'Sure.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "add_note", "arguments": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', true]],
    "Sure.",
  ],
  [
    "reads a call after its own token",
    '<|function_call|>{"name": "add_note", "arguments": {"text": "milk"}}</s>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "gigachat3" }])("gigachat3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
