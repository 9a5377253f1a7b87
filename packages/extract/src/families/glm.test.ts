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
    "reads pairs, on lines of their own or not",
    "<tool_call>set_light\n<arg_key>room</arg_key>\n<arg_value>hall</arg_value>\n<arg_key>level</arg_key><arg_value>3</arg_value></tool_call>",
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  ["reads a call without arguments", "<tool_call>\nnow\n</tool_call>", [["now", "{}", true]], ""],
  [
    "keeps the space in a string",
    "<tool_call>add_note<arg_key>text</arg_key><arg_value>  milk\n</arg_value></tool_call>",
    [["add_note", '{"text": "  milk\\n"}', true]],
    "",
  ],
  [
    "takes quotes off a string",
    '<tool_call>add_note<arg_key>text</arg_key><arg_value>"milk"</arg_value></tool_call>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads JSON that was escaped once too often",
    '<tool_call>add_note\\n<arg_key>tags</arg_key>\\n<arg_value>[\\"a\\", \\"b\\"]</arg_value></tool_call>',
    [["add_note", '{"tags": ["a", "b"]}', true]],
    "",
  ],
  [
    "keeps a closing tag inside a value",
    "<tool_call>add_note<arg_key>text</arg_key><arg_value>end with </arg_value> please</arg_value></tool_call>",
    [["add_note", '{"text": "end with </arg_value> please"}', true]],
    "",
  ],
  [
    "marks a call that is never closed",
    "<tool_call>add_note<arg_key>text</arg_key><arg_value>milk</arg_value>",
    [["add_note", '{"text": "milk"}', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "glm" }])("glm %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
