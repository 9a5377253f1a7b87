import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExtractEvent, type ExtractOptions, extract, extractStream, families } from "./index.ts";

const tools = [
  { name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
  { name: "delete", inputSchema: { type: "object", properties: {} } },
];

/** Text made of what the scanner reacts to: examples, cut examples, pieces of them, marks, and anything else. */
const example = fc.constantFrom(...families.map((family) => family.example));
const piece = fc.constantFrom(
  ...families.flatMap(
    ({ example: whole }) => whole.match(/<[^>]*>|\[[A-Z_/]+\]|"[^"]*"|[{}[\](),:;]|\w+|\s+/g) ?? [],
  ),
);
const mark = fc.constantFrom(
  ...[
    "<think>",
    "</think>",
    "```",
    "`",
    "```json\n",
    "\n",
    "\n\n",
    "> ",
    '"',
    "'",
    "\\",
    "Observation:",
    "</s>",
  ],
  ...["search", "delete", "for example: ", ". ", "Let me check.\n", "<tool_response>", "</tool_response>"],
);
const part = fc.oneof(
  { arbitrary: example, weight: 3 },
  { arbitrary: fc.tuple(example, fc.nat(120)).map(([whole, end]) => whole.slice(0, end)), weight: 1 },
  { arbitrary: piece, weight: 3 },
  { arbitrary: mark, weight: 4 },
  { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
  { arbitrary: fc.constantFrom("All is well. ".repeat(150), " ".repeat(2000), "x".repeat(1500)), weight: 1 },
);
const text = fc.array(part, { minLength: 1, maxLength: 16, size: "max" }).map((parts) => parts.join(""));
const options: fc.Arbitrary<ExtractOptions> = fc.record(
  {
    tools: fc.constant(tools),
    family: fc.constantFrom(...families.map((family) => family.name)),
    reasoning: fc.constantFrom("open" as const, "closed" as const, "unknown" as const),
  },
  { requiredKeys: ["tools"] },
);

function streamed(chunks: readonly string[], settings: ExtractOptions) {
  const stream = extractStream(settings);
  const events: ExtractEvent[] = chunks.flatMap((chunk) => stream.push(chunk));
  events.push(...stream.end());
  return {
    calls: events.flatMap((event) => (event.type === "call" ? [event.call] : [])),
    content: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
  };
}

function cut(whole: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, index = 0; at < whole.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(whole.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** Examples with other parameters and other values: names that mean all arguments at once, none, inherited ones. */
const parameter = fc.constantFrom(
  ...[
    "query",
    "arguments",
    "parameters",
    "properties",
    "input",
    "args",
    "",
    " ",
    "a b",
    "__proto__",
    "toString",
  ],
);
const value = fc.constantFrom(
  ...[
    "{'query': 'x'}",
    "{query: x}",
    '{"query": "x",}',
    "{do this}",
    "{ , }",
    "{",
    "}",
    "{{}}",
    "[}",
    '{"a"',
  ],
  ...['"{}"', '"\\"', "'", "1e999", '{\\"query\\": 1}', "<![CDATA[", "<![CDATA[x]]>", "\0", "\ud800", "null"],
  ...["[".repeat(2000), '{"a":'.repeat(2000), "</parameter>", "<parameter=>", "</invoke></invoke>x", "x"],
);
const hostile = fc
  .array(fc.tuple(example, parameter, value, fc.nat(200), fc.option(mark)), { minLength: 1, maxLength: 4 })
  .map((parts) =>
    parts
      .map(([whole, name, content, at, inside]) => {
        const made = whole.replaceAll("query", () => name).replace(/\bx\b/, () => content);
        return inside === null ? made : made.slice(0, at) + inside + made.slice(at);
      })
      .join(""),
  );

test("no parameter, whatever its name and text, makes extraction throw or a stream differ", () => {
  fc.assert(
    fc.property(hostile, options, fc.integer({ min: 1, max: 40 }), (whole, settings, size) => {
      expect(streamed(cut(whole, [size]), settings)).toEqual(extract(whole, settings));
    }),
    { numRuns: 1_500 },
  );
});

test("every chunking agrees with the whole", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(text, options, sizes, (whole, settings, lengths) => {
      const expected = extract(whole, settings);
      expect(streamed(cut(whole, lengths), settings)).toEqual(expected);
      expect(streamed([...whole], settings)).toEqual(expected);
    }),
    { numRuns: 800 },
  );
});

test("content is the text without the calls, and calls are of registered tools", () => {
  fc.assert(
    fc.property(text, options, (whole, settings) => {
      const { calls, content } = extract(whole, settings);
      if (calls.length === 0) expect(content).toBe(whole);
      else expect(isSubsequence(content, whole)).toBe(true);
      for (const call of calls) expect(tools.map((tool) => tool.name)).toContain(call.name);
    }),
    { numRuns: 800 },
  );
});

test("no tools, no calls, and the text as it was", () => {
  fc.assert(
    fc.property(
      text,
      (whole) => void expect(extract(whole, { tools: [] })).toEqual({ calls: [], content: whole }),
    ),
  );
});

test("any string at all ends in an answer", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (whole) => {
      expect(extract(whole, { tools })).toEqual({ calls: [], content: whole });
    }),
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (part.startsWith(character, at)) at += character.length;
  return at === part.length;
}
