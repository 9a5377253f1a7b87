import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const tools = [
  { name: "add_note", inputSchema: schema({ text: { type: "string" }, tags: { type: "array" } }, ["text"]) },
  {
    name: "set_light",
    inputSchema: schema({ room: { type: "string" }, level: { type: "integer" }, on: { type: "boolean" } }),
  },
  { name: "now", inputSchema: schema({}) },
  { name: "echo", inputSchema: schema({ words: { type: "string" } }) },
];

function schema(properties: object, required: string[] = []) {
  return { type: "object", properties, required };
}

/** A title, a text, the calls in it (name, arguments, complete) and what is left of it. */
const cases: [title: string, text: string, calls: [string, string, boolean][], content: string][] = [
  [
    "reads JSON input",
    'Thought: hm\nAction: add_note\nAction Input: {\n  "text": "milk"\n}\nObservation: ok',
    [["add_note", '{\n  "text": "milk"\n}', true]],
    "Thought: hm\n\nObservation: ok",
  ],
  [
    "gives text to the only parameter",
    'Action: echo\nAction Input: "what now?"',
    [["echo", '{"words":"what now?"}', true]],
    "",
  ],
  [
    "takes no text for a tool with several parameters",
    "Action: set_light\nAction Input: hall",
    [],
    "Action: set_light\nAction Input: hall",
  ],
  [
    "lets a final answer cancel the action",
    "Action: now\nAction Input: {}\nFinal Answer: It is late.",
    [],
    "Action: now\nAction Input: {}\nFinal Answer: It is late.",
  ],
  ["asks for the input", "Action: now\nThought: hm", [], "Action: now\nThought: hm"],
  [
    "reads a blob in a fence",
    'Thought: hm\n```json\n{"action": "echo", "action_input": "hi"}\n```',
    [["echo", '{"words":"hi"}', true]],
    "Thought: hm\n",
  ],
];

describe.each([{ tools }, { tools, family: "react" }])("react %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
