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
    '<function=add_note>{"text": "milk"}</function><function=now>{}</function>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "marks a missing closer",
    '<function=add_note>{"text": "milk"</function>',
    [["add_note", '{"text": "milk"', false]],
    "",
  ],
  [
    "keeps its closing tag inside a string",
    '<function=add_note>{"text": "</function>"}</function>',
    [["add_note", '{"text": "</function>"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "functionary-v3.1" }])("functionary-v3.1 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
