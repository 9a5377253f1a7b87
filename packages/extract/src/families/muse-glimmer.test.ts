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
    "reads a call in a frame for a tool",
    ' to=self<|message|>Hm.<|eom|><|start|>assistant to=add_note<|message|><atem:function_calls>\n<atem:invoke name="add_note">\n<atem:parameter name="text">milk</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
    [["add_note", '{"text": "milk"}', true]],
    " to=self<|message|>Hm.<|eom|>",
  ],
  [
    "resolves a name given twice",
    '<|start|>assistant to=now.now<|message|><atem:function_calls><atem:invoke name="now.now"></atem:invoke></atem:function_calls><|eot|>',
    [["now", "{}", true]],
    "",
  ],
  [
    "reads nothing in a frame for the user",
    '<|start|>assistant to=user<|message|>Like so: <atem:function_calls><atem:invoke name="now"></atem:invoke></atem:function_calls><|eot|>',
    [],
    '<|start|>assistant to=user<|message|>Like so: <atem:function_calls><atem:invoke name="now"></atem:invoke></atem:function_calls><|eot|>',
  ],
];

describe.each([{ tools }, { tools, family: "muse-glimmer" }])("muse-glimmer %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
