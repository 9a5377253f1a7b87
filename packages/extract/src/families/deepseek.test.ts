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
    "reads fenced arguments",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add_note\n```json\n{"text": "milk"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [
      ["add_note", '{"text": "milk"}', true],
      ["now", "{}", true],
    ],
    "",
  ],
  [
    "reads plain arguments",
    'Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add_note<｜tool▁sep｜>{"text": "milk"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [["add_note", '{"text": "milk"}', true]],
    "Hm.",
  ],
  [
    "reads plain bars and underscores",
    '<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>add_note\n```json\n{"text": "milk"}\n```<|tool_call_end|><|tool_calls_end|>',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "keeps a fence inside a string",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add_note\n```json\n{"text": "```js\\n1\\n```"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [["add_note", '{"text": "```js\\n1\\n```"}', true]],
    "",
  ],
  [
    "marks a missing closer",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add_note\n```json\n{"text": "milk"\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [["add_note", '{"text": "milk"', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "deepseek-v3" }])("deepseek %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
