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
    "Sure. <start_function_call>call:set_light{room:<escape>hall<escape>,level:3}<end_function_call>",
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "Sure. ",
  ],
  [
    "keeps commas and braces inside a string",
    "<start_function_call>call:add_note{text:<escape>a, {b}: c<escape>}<end_function_call>",
    [["add_note", '{"text": "a, {b}: c"}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "functiongemma" }])("functiongemma %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
