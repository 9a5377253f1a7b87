import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads calls with literals of all kinds",
    "[set_light(room='hall', level=07, on=True), add_note(text=\"it's\", tags=['a', ('b', None)])]",
    [
      ["set_light", '{"room": "hall", "level": 7, "on": true}', true],
      ["add_note", '{"text": "it\'s", "tags": ["a", ["b", null]]}', true],
    ],
    "",
  ],
  [
    "reads a list between tags",
    "Turning it on. <|python_start|>[now()]<|python_end|> Done.",
    [["now", "{}", true]],
    "Turning it on.  Done.",
  ],
  [
    "keeps the backslash of an escape that Python does not know",
    '[add_note(text="\\d+\\n")]',
    [["add_note", '{"text": "\\\\d+\\n"}', true]],
    "",
  ],
  [
    "gives positional arguments their names",
    '[set_light("hall", 3)]',
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  ["takes no code for a literal", '[add_note(text=read("x"))]', [], '[add_note(text=read("x"))]'],
  [
    "takes no Markdown link for a call",
    "See [now()](https://example.org) for more.",
    [],
    "See [now()](https://example.org) for more.",
  ],
  [
    "takes a list in the middle of a sentence for prose",
    "Then the list [now()] is sorted.",
    [],
    "Then the list [now()] is sorted.",
  ],
];

describe.each([{ tools }, { tools, family: "pythonic" }])("pythonic %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
