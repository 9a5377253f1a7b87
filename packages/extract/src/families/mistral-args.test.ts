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
    "reads several calls",
    '[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]add_note[CALL_ID]a1b2c3d4e[ARGS]{"text": "milk"}',
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "",
  ],
  [
    "reads a call without the marker",
    '[TOOL_CALLS]add_note{"text": "milk"}',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  ["marks a name at the end of the text", "[TOOL_CALLS]now", [["now", "{}", false]], ""],
  [
    "marks cut arguments",
    '[TOOL_CALLS]add_note[ARGS]{"text": "mi',
    [["add_note", '{"text": "mi', false]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "mistral-args" }])("mistral-args %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
