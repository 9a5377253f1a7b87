import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads a list after reasoning",
    '<|START_THINKING|>Use <|START_ACTION|>?<|END_THINKING|><|START_ACTION|>[\n  {"tool_call_id": "0", "tool_name": "add_note", "parameters": {"text": "milk"}}\n]<|END_ACTION|>',
    [["add_note", '{"text": "milk"}', true]],
    "<|START_THINKING|>Use <|START_ACTION|>?<|END_THINKING|>",
  ],
  [
    "marks a call that is cut after its name",
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "add_note", ',
    [["add_note", "{}", false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "command-r7b" }])("command-r7b %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
