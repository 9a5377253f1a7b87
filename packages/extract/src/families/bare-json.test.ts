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
    "reads the whole message",
    '{"name": "add_note", "arguments": {"text": "milk"}}',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "reads an object after a sentence",
    'Let me see.\n\n{"name": "add_note", "arguments": {"text": "milk"}}\n',
    [["add_note", '{"text": "milk"}', true]],
    "Let me see.\n\n\n",
  ],
  [
    "takes an object in the middle of a sentence for prose",
    'The record {"name": "add_note", "arguments": {"text": "milk"}} was stored.',
    [],
    'The record {"name": "add_note", "arguments": {"text": "milk"}} was stored.',
  ],
  [
    "takes objects after data for data",
    '{"name": "Ann"}\n{"name": "add_note", "arguments": {"text": "milk"}}',
    [],
    '{"name": "Ann"}\n{"name": "add_note", "arguments": {"text": "milk"}}',
  ],
  ["takes a name alone for data", '{"name": "now"}', [], '{"name": "now"}'],
  [
    "takes arguments that are no object for data",
    '{"name": "now", "arguments": "pros and cons"}',
    [],
    '{"name": "now", "arguments": "pros and cons"}',
  ],
  [
    "takes cut arguments for text",
    '{"name": "add_note", "arguments": {"text": "mi',
    [],
    '{"name": "add_note", "arguments": {"text": "mi',
  ],
  [
    "reads a call when only the last brace is missing",
    '{"name": "add_note", "arguments": {"text": "milk"}',
    [["add_note", '{"text": "milk"}', true]],
    "",
  ],
  [
    "ignores inherited names",
    '{"name": "constructor", "arguments": {}}',
    [],
    '{"name": "constructor", "arguments": {}}',
  ],
];

describe.each([{ tools }, { tools, family: "bare-json" }])("bare-json %#", (options) => {
  test.each(cases)("%s", (_title, text, calls, content) => {
    const found = extract(text, options);
    expect(found.calls.map((call) => [call.name, call.arguments, call.complete])).toEqual(calls);
    expect(found.content).toBe(content);
  });
});
