import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads a call",
    'Sure.<|action_start|><|plugin|>\n{"name": "add_note", "parameters": {"text": "milk"}}<|action_end|>',
    [["add_note", '{"text": "milk"}', true]],
    "Sure.",
  ],
  [
    "reads Python literals as written",
    "<|action_start|><|plugin|>{'name': 'set_light', 'parameters': {'on': True}}<|action_end|>",
    [["set_light", "{'on': True}", true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "internlm2" }])("internlm2 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
