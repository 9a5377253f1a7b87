import { describe, expect, test } from "vitest";
import { extract, extractStream, families } from "./index.ts";

const tools = [
  { name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
];
const found = { name: "search", arguments: { query: "x" }, complete: true };

function calls(text: string, family?: string) {
  const result = extract(text, { tools, family });
  return result.calls.map((call) => ({
    name: call.name,
    arguments: JSON.parse(call.arguments),
    complete: call.complete,
  }));
}

/** Ways to show a call instead of making it. */
const shown: [where: string, wrap: (example: string) => string][] = [
  ["a code fence", (example) => `The parser accepts this.\n\n~~~text\n${example}\n~~~\n`],
  ["a block quote", (example) => `They wrote:\n\n${example.replace(/^/gm, "> ")}\n`],
  ["reasoning", (example) => `<think>Maybe ${example} would do.</think>\nHello.`],
  ["reasoning that the prompt opened", (example) => `${example}\nNo, I know this one.</think>\nHello.`],
  ["a tool result", (example) => `<tool_response>\n${example}\n</tool_response>`],
  ["a tool result left open", (example) => `<function_results>\n${example}`],
  ["an observation", (example) => `Thought: done.\nObservation: ${example}\n`],
  ["the next turn", (example) => `Done.<|im_end|>\n<|im_start|>user\n${example}`],
  ["an example", (example) => `Here is an example of a call:\n\n${example}`],
  ["a comment", (example) => `Hello.\n<!-- ${example} -->`],
];

test("names are unique", () => {
  expect(new Set(families.map((family) => family.name)).size).toBe(families.length);
});

test("an unknown family is refused and the known ones are named", () => {
  expect(() => extract("", { tools, family: "hermess" })).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID" }),
  );
  expect(() => extract("", { tools, family: "hermess" })).toThrow(/hermess.*hermes, /);
});

describe.each(families.map((family) => [family.name, family.example] as const))("%s", (name, example) => {
  test("its example is a call", () => {
    expect(calls(example)).toEqual([found]);
    expect(calls(example, name)).toEqual([found]);
  });

  test("its example is text when the tool is not registered", () => {
    const other = [{ name: "other" }];
    expect(extract(example, { tools: other })).toEqual({ calls: [], content: example });
    expect(extract(example, { tools: other, family: name })).toEqual({ calls: [], content: example });
  });

  test.each(shown)("its example in %s is text", (_where, wrap) => {
    const text = wrap(example);
    expect(extract(text, { tools })).toEqual({ calls: [], content: text });
    expect(extract(text, { tools, family: name })).toEqual({ calls: [], content: text });
  });

  test("cutting its example anywhere never gives a complete call with other arguments", () => {
    for (let length = 0; length < example.length; length++) {
      const cut = example.slice(0, length);
      for (const call of extract(cut, { tools }).calls) {
        if (call.complete)
          expect([length, call.arguments]).toEqual([length, expect.stringMatching(/"query": ?"x"/)]);
      }
      const stream = extractStream({ tools });
      const events = [...cut].flatMap((character) => stream.push(character)).concat(stream.end());
      const streamed = events.flatMap((event) => (event.type === "call" ? [event.call] : []));
      expect(streamed).toEqual(extract(cut, { tools }).calls);
    }
  });
});
