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
    "reads parameters",
    '<function name="set_light"><param name="room">hall</param><param name="level">3</param></function>',
    [["set_light", '{"room":"hall","level":3}', true]],
    "",
  ],
  [
    "reads a CDATA section as it is",
    '<function name="add_note"><param name="text"><![CDATA[<b>a</param> & b</b>]]></param></function>',
    [["add_note", '{"text":"<b>a</param> & b</b>"}', true]],
    "",
  ],
  [
    "reads the mark that stands for a space",
    '<functionĠname="add_note"><paramname="text">milk</param></function>',
    [["add_note", '{"text":"milk"}', true]],
    "",
  ],
  [
    "drops what the tool does not declare",
    '<function name="add_note"><param name="text">milk</param><param name="x">1</param></function>',
    [["add_note", '{"text":"milk"}', true]],
    "",
  ],
  [
    "unwraps arguments given as properties",
    '<function name="add_note"><param name="properties">{"text": "milk"}</param></function>',
    [["add_note", '{"text":"milk"}', true]],
    "",
  ],
  [
    "unwraps properties that are not quite JSON and leaves their repair to the decoder",
    `<function name="add_note"><param name="arguments">{'text': 'milk', tags: [],}</param></function>`,
    [["add_note", `{"text":'milk',"tags":[]}`, true]],
    "",
  ],
  [
    "takes prose in braces where all arguments should be for text",
    '<function name="add_note"><param name="input">{the usual}</param></function>',
    [],
    '<function name="add_note"><param name="input">{the usual}</param></function>',
  ],
  [
    "takes braces around nothing where all arguments should be for text",
    '<function name="add_note"><param name="args">{ , }</param></function>',
    [],
    '<function name="add_note"><param name="args">{ , }</param></function>',
  ],
  [
    "takes a call without a required parameter for text",
    '<function name="add_note"><param name="Text">milk</param></function>',
    [],
    '<function name="add_note"><param name="Text">milk</param></function>',
  ],
  [
    "takes a call that is never closed for text",
    '<function name="add_note"><param name="text">milk</param>',
    [],
    '<function name="add_note"><param name="text">milk</param>',
  ],
  [
    "reads two calls and the text between",
    'A <function name="now"></function> B <function name="now"></function> C',
    [
      ["now", "{}", true],
      ["now", "{}", true],
    ],
    "A  B  C",
  ],
];

describe.each([{ tools }, { tools, family: "minicpm5" }])("minicpm5 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
