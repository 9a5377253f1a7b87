import { expect, test } from "vitest";
import { extract } from "./index.ts";

const tools = [
  {
    name: "move",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, options: { type: "object" }, dry_run: { type: "boolean" } },
    },
  },
];

const FLAT = '{"path": "/a", "dry_run": true}';
/** The brace that ends `options` is missing, so that `dry_run` stands in it and the braces do not add up. */
const SLIPPED = '{"path": "/a", "options": {"force": true, "dry_run": true}';
const envelopes: [name: string, wrap: (call: string) => string][] = [
  ["hermes", (call) => `<tool_call>${call}</tool_call>`],
  ["mistral", (call) => `[TOOL_CALLS][${call}]`],
  ["a fence", (call) => `\`\`\`json\n${call}\n\`\`\``],
  ["nothing", (call) => call],
  ["a message", (call) => `{"tool_calls": [${call}]}`],
  ["a function in a message", (call) => `{"tool_calls": [{"type": "function", "function": ${call}}]}`],
];

function found(text: string) {
  return extract(text, { tools }).calls.map((call) => [call.name, call.complete]);
}

test.each(envelopes)(
  "a call in %s is whole when its braces add up, or when it does not matter which is missing",
  (_name, wrap) => {
    expect(found(wrap(`{"name": "move", "arguments": ${FLAT}}`))).toEqual([["move", true]]);
    expect(found(wrap(`{"name": "move", "arguments": ${FLAT}`))).toEqual([["move", true]]);
    expect(found(wrap(`{"name": "move", "arguments": ${SLIPPED}}}`))).toEqual([["move", true]]);
  },
);

test.each(envelopes)(
  "a call in %s is not whole when the missing brace may be one of its arguments'",
  (_name, wrap) => {
    expect(found(wrap(`{"name": "move", "arguments": ${SLIPPED}}`))).toEqual([["move", false]]);
  },
);

test("what is closed inside a string needs no brace around it", () => {
  const written = JSON.stringify('{"path": "/a", "options": {"force": true}}');
  expect(found(`<tool_call>{"name": "move", "arguments": ${written}</tool_call>`)).toEqual([["move", true]]);
});
