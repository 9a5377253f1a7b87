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
    "reads a Python list",
    '<|tool_call_start|>[add_note(text="milk")]<|tool_call_end|>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads call objects",
    '<|tool_call_start|>[{"name": "add_note", "arguments": {"text": "milk"}}]<|tool_call_end|>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads unescaped quotes in a string",
    "<|tool_call_start|>[add_note(text='say 'hi' to all')]<|tool_call_end|>",
    [["add_note", '{"text": "say \'hi\' to all"}', true]],
    "",
  ],
  [
    "turns a set into a list",
    "<|tool_call_start|>[add_note(tags={'a', 'b'})]<|tool_call_end|>",
    [["add_note", '{"tags": ["a", "b"]}', true]],
    "",
  ],
  [
    "takes no second list that has no tag for a call",
    "<|tool_call_start|>[now()]<|tool_call_end|>[now()]",
    [["now", "{}", true]],
    "[now()]",
  ],
];

describe.each([{ tools }, { tools, family: "lfm2" }])("lfm2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
