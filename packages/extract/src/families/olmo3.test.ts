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
    "reads one call per line",
    "<function_calls>now()\nadd_note(text='milk')</function_calls>",
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "",
  ],
  [
    "marks the last call of an envelope that is never closed",
    "<function_calls>now()\nadd_note(text='milk')",
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', false],
    ],
    "",
  ],
  [
    "keeps a closing tag inside a string",
    "<function_calls>add_note(text='a </function_calls> b')</function_calls>",
    [["add_note", '{"text": "a </function_calls> b"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "olmo3" }])("olmo3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
