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
    '<TOOLCALL>[{"name": "add_note", "arguments": {"text": "milk"}}, {"name": "now", "arguments": {}}]</TOOLCALL>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads what is there of a list without its bracket",
    '<TOOLCALL>[{"name": "add_note", "arguments": {"text": "milk"}}</TOOLCALL>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "nemotron-nano-v2" }])("nemotron-nano-v2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
