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
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="now"></steptml:invoke><｜tool_call_end｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="set_light"><steptml:parameter name="room">hall</steptml:parameter><steptml:parameter name="level">3</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    [
      ["now", "{}", true],
      ["set_light", '{"room": "hall", "level": 3}', true],
    ],
    "",
  ],
  [
    "works without the function marker",
    'Yes.<｜tool_calls_begin｜><｜tool_call_begin｜><steptml:invoke name="add_note"><steptml:parameter name="text">milk</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>Bye.',
    [["add_note", '{"text": "milk"}', true]],
    "Yes.Bye.",
  ],
];

describe.each([{ tools }, { tools, family: "step3" }])("step3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
