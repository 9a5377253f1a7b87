import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  {
    name: "save",
    inputSchema: schema({ path: { type: "string" }, body: { type: "string" }, options: { type: "object" } }),
  },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads values by the schema",
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="set_light">]<]minimax[>[<room>hall]<]minimax[>[</room>]<]minimax[>[<level>3]<]minimax[>[</level>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  [
    "reads nested tags as an object",
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="save">]<]minimax[>[<options>]<]minimax[>[<mode>w]<]minimax[>[</mode>]<]minimax[>[<deep>]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[</deep>]<]minimax[>[</options>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
    [["save", '{"options": {"mode": "w", "deep": {"a": "1"}}}', true]],
    "",
  ],
  [
    "reads repeated tags as a list",
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="add_note">]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[<item>b]<]minimax[>[</item>]<]minimax[>[</tags>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
    [["add_note", '{"tags": ["a", "b"]}', true]],
    "",
  ],
  [
    "takes a tag that is closed by another for text",
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="add_note">]<]minimax[>[<text>milk]<]minimax[>[</txt>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
    [],
    ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="add_note">]<]minimax[>[<text>milk]<]minimax[>[</txt>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>',
  ],
];

describe.each([{ tools }, { tools, family: "minimax-m3" }])("minimax-m3 %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
