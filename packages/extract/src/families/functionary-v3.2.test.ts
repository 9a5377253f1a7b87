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
    "reads calls, the first without its marker",
    'add_note\n{"text": "milk"}>>>now\n{}',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "keeps text for the user",
    ">>>all\nHello there.>>>now\n{}",
    [["now", "{}", true]],
    ">>>all\nHello there.",
  ],
  [
    "reads nothing in text for the user",
    '>>>all\n{"name": "now", "arguments": {}}',
    [],
    '>>>all\n{"name": "now", "arguments": {}}',
  ],
  ["takes a first line that is no tool for text", 'notes\n{"text": "milk"}', [], 'notes\n{"text": "milk"}'],
];

describe.each([{ tools }, { tools, family: "functionary-v3.2" }])("functionary-v3.2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
