import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads tags for parameters",
    "<set_light>\n<room>hall</room>\n<level>3</level>\n</set_light>",
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  ["reads a tool without parameters", "Let me see.\n<now></now>", [["now", "{}", true]], "Let me see.\n"],
  [
    "asks that parameters are declared",
    "<add_note><color>red</color></add_note>",
    [],
    "<add_note><color>red</color></add_note>",
  ],
  ["asks for what is required", "<add_note></add_note>", [], "<add_note></add_note>"],
  ["asks for the closing tag", "<add_note><text>milk</text>", [], "<add_note><text>milk</text>"],
  ["takes text inside the tag for text", "<add_note>milk</add_note>", [], "<add_note>milk</add_note>"],
];

describe.each([{ tools }, { tools, family: "xml-tagname" }])("xml-tagname %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
