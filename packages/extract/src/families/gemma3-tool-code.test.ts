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
    "reads calls in a fence",
    'On it.\n\n```tool_code\nnow()\nadd_note(text="milk")\n```\n',
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "On it.\n\n\n",
  ],
  [
    "reads a call inside print",
    '```tool_code\nprint(default_api.add_note(text="milk"))\n```',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "takes a Python fence for text",
    '```python\nadd_note(text="milk")\n```',
    [],
    '```python\nadd_note(text="milk")\n```',
  ],
  [
    "takes a fence with other code for text",
    "```tool_code\nfor x in y:\n  now()\n```",
    [],
    "```tool_code\nfor x in y:\n  now()\n```",
  ],
];

describe.each([{ tools }, { tools, family: "gemma3-tool-code" }])("gemma3-tool-code %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
