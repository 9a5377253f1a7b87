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
    "reads values by their attribute",
    '<|open|>tools<|sep|><|open|>call tool="now" index="1"<|sep|><|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|><|open|>argument key="b" type="string"<|sep|>1<|close|>argument<|sep|><|open|>argument key="c" type="object"<|sep|>{"d": null}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    [["now", '{"a": 1, "b": "1", "c": {"d": null}}', true]],
    "",
  ],
  [
    "decodes entities in attributes",
    '<|open|>tools<|sep|><|open|>call tool="add_note" index="1"<|sep|><|open|>argument key="te&amp;xt" type="string"<|sep|>a &amp; b<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    [["add_note", '{"te&xt": "a &amp; b"}', true]],
    "",
  ],
  [
    "marks a call that is cut",
    '<|open|>tools<|sep|><|open|>call tool="add_note" index="1"<|sep|><|open|>argument key="text" type="string"<|sep|>milk<|close|>argument<|sep|>',
    [["add_note", '{"text": "milk"}', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "kimi-k3" }])("kimi-k3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
