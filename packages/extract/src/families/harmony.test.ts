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
    "reads a call in the commentary channel",
    '<|channel|>analysis<|message|>Need the time.<|end|><|start|>assistant<|channel|>commentary to=functions.add_note <|constrain|>json<|message|>{"text": "milk"}<|call|>',
    [["add_note", '{"text": "milk"}', true]],
    "<|channel|>analysis<|message|>Need the time.<|end|>",
  ],
  [
    "reads a recipient before the channel",
    ' to=functions.add_note<|channel|>commentary<|message|>{"text": "milk"}',
    [["add_note", '{"text": "milk"}', true]],
    " ",
  ],
  [
    "reads nothing in reasoning or in the answer",
    '<|channel|>analysis<|message|><tool_call>{"name": "now", "arguments": {}}</tool_call><|end|><|start|>assistant<|channel|>final<|message|>{"name": "now", "arguments": {}}<|return|>',
    [],
    '<|channel|>analysis<|message|><tool_call>{"name": "now", "arguments": {}}</tool_call><|end|><|start|>assistant<|channel|>final<|message|>{"name": "now", "arguments": {}}<|return|>',
  ],
  [
    "reads nothing from a tool or after it",
    "<|start|>functions.now to=assistant<|channel|>commentary<|message|>{}<|end|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}<|call|>",
    [],
    "<|start|>functions.now to=assistant<|channel|>commentary<|message|>{}<|end|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}<|call|>",
  ],
  [
    "takes an unknown recipient for text",
    '<|channel|>commentary to=functions.ghost<|message|>{"a": {"name": "now", "arguments": {}}}<|call|>',
    [],
    '<|channel|>commentary to=functions.ghost<|message|>{"a": {"name": "now", "arguments": {}}}<|call|>',
  ],
];

describe.each([{ tools }, { tools, family: "gpt-oss" }])("harmony %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
