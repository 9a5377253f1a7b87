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
    "reads two calls",
    '<function_calls>\n<invoke name="now">\n</invoke>\n<invoke name="set_light">\n<parameter name="room">hall</parameter>\n<parameter name="level">3</parameter>\n</invoke>\n</function_calls>',
    [
      ["now", "{}", true],
      ["set_light", '{"room": "hall", "level": 3}', true],
    ],
    "",
  ],
  [
    "reads a call without the wrapper",
    'I will.\n<invoke name="add_note"><parameter name="text">milk</parameter></invoke>',
    [["add_note", '{"text": "milk"}', true]],
    "I will.\n",
  ],
  [
    "reads the older form",
    "<function_calls><invoke><tool_name>set_light</tool_name><parameters><room>hall</room><level>3</level></parameters></invoke></function_calls>",
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  [
    "keeps a call that a value quotes",
    '<invoke name="add_note"><parameter name="text">see <invoke name="now"><parameter name="x">1</parameter></invoke></parameter></invoke>',
    [
      [
        "add_note",
        '{"text": "see <invoke name=\\"now\\"><parameter name=\\"x\\">1</parameter></invoke>"}',
        true,
      ],
    ],
    "",
  ],
  [
    "keeps line feeds in a value",
    '<invoke name="add_note"><parameter name="text">\na\n</parameter></invoke>',
    [["add_note", '{"text": "\\na\\n"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "anthropic-invoke" }])("anthropic-invoke %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
