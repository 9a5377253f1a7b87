import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
  {
    name: "save",
    inputSchema: schema({ path: { type: "string" }, body: { type: "string" }, options: { type: "object" } }),
  },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads values of all kinds",
    '<|tool_call>call:save{path:<|"|>a,b}<|"|>,options:{n:-1.5,on:true,l:[<|"|>x<|"|>,null]}}<tool_call|>',
    [["save", '{"path": "a,b}", "options": {"n": -1.5, "on": true, "l": ["x", null]}}', true]],
    "",
  ],
  [
    "reads quoted and bare strings",
    '<|tool_call>call:add_note{text:"say \\"hi\\"",tags:[a b,c]}<tool_call|>',
    [["add_note", '{"text": "say \\"hi\\"", "tags": ["a b", "c"]}', true]],
    "",
  ],
  [
    "reads two calls",
    "<|tool_call>call:now{}<tool_call|><|tool_call>call:now{}<tool_call|>",
    [
      ["now", "{}", true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "leaves a cut value out",
    '<|tool_call>call:set_light{room:<|"|>hall<|"|>,level:1',
    [["set_light", '{"room": "hall"}', false]],
    "",
  ],
  ["leaves an empty envelope alone", "<|tool_call><tool_call|>Hello.", [], "<|tool_call><tool_call|>Hello."],
];

describe.each([{ tools }, { tools, family: "gemma4" }])("gemma4 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
