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
    "reads two calls",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.add_note:0<|tool_call_argument_begin|>{"text": "milk"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "works without prefix, index and section",
    '<|tool_call_begin|>add_note<|tool_call_argument_begin|>{"text": "milk"}<|tool_call_end|>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "passes over an id that names no tool",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.add_note.0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    [["now", "{}", true]],
    "",
  ],
  [
    "ends reasoning that is never closed",
    "<think>I will ask for the time.<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    [["now", "{}", true]],
    "<think>I will ask for the time.",
  ],
  [
    "does not end reasoning that is closed later",
    "<think>Not <|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|></think>Hello.",
    [],
    "<think>Not <|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|></think>Hello.",
  ],
  [
    "marks cut arguments",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.add_note:0<|tool_call_argument_begin|>{"text": "mi',
    [["add_note", '{"text": "mi', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "kimi-k2" }])("kimi-k2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
