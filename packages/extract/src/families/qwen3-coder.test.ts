import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
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
    "types values by the schema",
    "<tool_call>\n<function=set_light>\n<parameter=room>\nhall\n</parameter>\n<parameter=level>\n3\n</parameter>\n<parameter=on>\nTrue\n</parameter>\n</function>\n</tool_call>",
    [["set_light", '{"room": "hall", "level": 3, "on": true}', true]],
    "",
  ],
  [
    "keeps a number where a string is declared",
    "<tool_call><function=add_note><parameter=text>42</parameter></function></tool_call>",
    [["add_note", '{"text": "42"}', true]],
    "",
  ],
  [
    "strips one line feed on either side and no more",
    "<tool_call>\n<function=add_note>\n<parameter=text>\n\n  two lines\n\n</parameter>\n</function>\n</tool_call>",
    [["add_note", '{"text": "\\n  two lines\\n"}', true]],
    "",
  ],
  [
    "works without the outer tags",
    "Sure.\n<function=now>\n</function>\n</tool_call>",
    [["now", "{}", true]],
    "Sure.\n",
  ],
  [
    "keeps a whole call that a value quotes",
    "<tool_call><function=save><parameter=path>a.md</parameter><parameter=body>Use <tool_call><function=now></function></tool_call> or <parameter=x>y</parameter> here</parameter></function></tool_call>",
    [
      [
        "save",
        '{"path": "a.md", "body": "Use <tool_call><function=now></function></tool_call> or <parameter=x>y</parameter> here"}',
        true,
      ],
    ],
    "",
  ],
  [
    "goes on after a missing closing tag",
    "<tool_call><function=set_light>\n<parameter=room>\nhall\n<parameter=level>\n3\n</parameter></function></tool_call>",
    [["set_light", '{"room": "hall", "level": 3}', true]],
    "",
  ],
  [
    "leaves a cut value out",
    "<tool_call><function=set_light><parameter=room>hall</parameter><parameter=level>1",
    [["set_light", '{"room": "hall"}', false]],
    "",
  ],
  [
    "reads over a parameter without a name, and says that something is missing",
    "<tool_call><function=set_light><parameter=>]</parameter><parameter=level>1</parameter></function></tool_call> on",
    [["set_light", '{"level": 1}', false]],
    " on",
  ],
  [
    "reads a Python dict where an object is declared",
    "<tool_call><function=save><parameter=options>{'mode': 'w', 'deep': [1, None]}</parameter></function></tool_call>",
    [["save", '{"options": {"mode": "w", "deep": [1, null]}}', true]],
    "",
  ],
];

describe.each([{ tools }, { tools, family: "qwen3-coder" }])("qwen3-coder %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
