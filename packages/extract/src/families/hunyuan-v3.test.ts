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
    "reads several calls and passes over unknown ones",
    "<tool_calls>\n<tool_call>now<tool_sep></tool_call>\n<tool_call>ghost<tool_sep></tool_call>\n<tool_call>add_note<tool_sep>\n<arg_key>text</arg_key>\n<arg_value>milk</arg_value>\n</tool_call>\n</tool_calls>",
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "",
  ],
  [
    "reads a section that is never closed",
    "<tool_calls><tool_call>now<tool_sep></tool_call>",
    [["now", "{}", true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "hunyuan-v3" }])("hunyuan-v3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
