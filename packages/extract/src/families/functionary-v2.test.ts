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
    "reads calls, the first without the beginning of its turn",
    'add_note\n<|content|>{"text": "milk"}\n<|from|>assistant\n<|recipient|>now\n<|content|>{}<|stop|>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "keeps text for the user",
    "all\n<|content|>Looking.\n<|from|>assistant\n<|recipient|>now\n<|content|>{}<|stop|>",
    [["now", "{}", true]],
    "all\n<|content|>Looking.\n",
  ],
  [
    "reads nothing in text for the user",
    'all\n<|content|>{"name": "now", "arguments": {}}',
    [],
    'all\n<|content|>{"name": "now", "arguments": {}}',
  ],
  [
    "reads nothing behind the turn of somebody else",
    'now\n<|content|>{}\n<|from|>now\n<|recipient|>all\n<|content|><|recipient|>add_note\n<|content|>{"text": "milk"}',
    [["now", "{}", true]],
    '\n<|from|>now\n<|recipient|>all\n<|content|><|recipient|>add_note\n<|content|>{"text": "milk"}',
  ],
  [
    "says that arguments were cut",
    'add_note\n<|content|>{"text": "mi',
    [["add_note", '{"text": "mi', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "functionary-v2" }])("functionary-v2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
