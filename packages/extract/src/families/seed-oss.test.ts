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
    "reads two calls",
    "<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=add_note>\n<parameter=text>milk</parameter>\n</function>\n</seed:tool_call>",
    [
      ["now", "{}", true],
      ["add_note", '{"text": "milk"}', true],
    ],
    "\n",
  ],
  [
    "passes over its own reasoning tags",
    "<seed:think>I could <seed:tool_call><function=now></function></seed:tool_call></seed:think><seed:tool_call><function=add_note><parameter=text>milk</parameter></function></seed:tool_call>",
    [["add_note", '{"text": "milk"}', true]],
    "<seed:think>I could <seed:tool_call><function=now></function></seed:tool_call></seed:think>",
  ],
  [
    "leaves an empty envelope alone",
    "<seed:tool_call></seed:tool_call>Nothing to do.",
    [],
    "<seed:tool_call></seed:tool_call>Nothing to do.",
  ],
];

describe.each([{ tools }, { tools, family: "seed-oss" }])("seed-oss %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
