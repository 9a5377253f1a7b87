import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
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
    '<minimax:tool_call><invoke name="now"></invoke><invoke name="set_light"><parameter name="room">hall</parameter><parameter name="on">false</parameter></invoke></minimax:tool_call>',
    [
      ["now", "{}", true],
      ["set_light", '{"room": "hall", "on": false}', true],
    ],
    "",
  ],
  [
    "keeps undeclared values as strings",
    '<minimax:tool_call><invoke name="now"><parameter name="zone">5</parameter></invoke></minimax:tool_call>',
    [["now", '{"zone": "5"}', true]],
    "",
  ],
  [
    "keeps a value that is no number as a string",
    '<minimax:tool_call><invoke name="set_light"><parameter name="level">high</parameter></invoke></minimax:tool_call>',
    [["set_light", '{"level": "high"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "minimax-m2" }])("minimax-m2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
