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
    "types values by the schema before the attribute",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="set_light">\n<｜DSML｜parameter name="room" string="true">hall</｜DSML｜parameter>\n<｜DSML｜parameter name="level" string="true">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  [
    "types undeclared values by the attribute",
    '<｜DSML｜function_calls><｜DSML｜invoke name="now"><｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter><｜DSML｜parameter name="b" string="false">1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
    [["now", '{"a": "1", "b": 1}', true]],
    "",
  ],
  [
    "reads an object in place of parameters",
    '<｜DSML｜function_calls><｜DSML｜invoke name="add_note">{"text": "milk"}</｜DSML｜invoke></｜DSML｜function_calls>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads a self-closing call",
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="now"/>\n</｜DSML｜function_calls>',
    [["now", "{}", true]],
    "",
  ],
  [
    "unwraps all arguments given as one",
    '<｜DSML｜function_calls><｜DSML｜invoke name="add_note"><｜DSML｜parameter name="arguments" string="false">{"text": "milk"}</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "leaves a cut value out",
    '<｜DSML｜function_calls><｜DSML｜invoke name="add_note"><｜DSML｜parameter name="text" string="true">mi',
    [["add_note", "{}", false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "deepseek-v3.2" }])("deepseek-dsml %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
