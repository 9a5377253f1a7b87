import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";
import { parseAt } from "./parse.ts";
import { REPAIR_KINDS } from "./repair-kinds.ts";

/** A small generator of its own, so that a failing seed alone reproduces the text. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** How a mangled writer departs from `JSON.stringify`. Each part gets the dice, so that no two places are alike. */
interface Style {
  string?(text: string, roll: (sides: number) => number): string;
  key?(text: string, roll: (sides: number) => number): string;
  number?(value: number): string;
  literal?(value: boolean | null): string;
  comma?(roll: (sides: number) => number): string;
  colon?(roll: (sides: number) => number): string;
  beforeCloser?(roll: (sides: number) => number, empty: boolean): string;
  wrap?(text: string, roll: (sides: number) => number): string;
}

function write(value: unknown, style: Style, roll: (sides: number) => number): string {
  const quoted = (text: string) => style.string?.(text, roll) ?? JSON.stringify(text);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return style.number?.(value) ?? JSON.stringify(value);
  if (value === null || typeof value === "boolean") return style.literal?.(value) ?? JSON.stringify(value);
  const comma = () => style.comma?.(roll) ?? ",";
  const end = (empty: boolean) => style.beforeCloser?.(roll, empty) ?? "";
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, style, roll));
    return `[${items.reduce((text, item, i) => (i === 0 ? item : text + comma() + item), "")}${end(items.length === 0)}]`;
  }
  const members = Object.entries(value as object).map(([key, member]) => {
    const name = style.key?.(key, roll) ?? quoted(key);
    return `${name}${style.colon?.(roll) ?? ":"}${write(member, style, roll)}`;
  });
  return `{${members.reduce((text, item, i) => (i === 0 ? item : text + comma() + item), "")}${end(members.length === 0)}}`;
}

function mangle(value: unknown, style: Style, seed: number): string {
  const roll = dice(seed);
  const text = write(value, style, roll);
  return style.wrap?.(text, roll) ?? text;
}

const pick = <T>(roll: (sides: number) => number, ...choices: T[]): T => choices[roll(choices.length)] as T;

const word = fc
  .stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
  .filter((text) => !/^(true|false|null|nan|nil|undefined|n|t|f)$/.test(text));
const sentence = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), sentence);
const integer = fc.integer({ min: -1e9, max: 1e9 });

function documents(text: fc.Arbitrary<string>, key: fc.Arbitrary<string> = word): fc.Arbitrary<unknown> {
  const { root } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      text,
      integer,
      fc.boolean(),
      fc.constant(null),
      tie("array"),
      tie("object"),
    ),
    array: fc.array(tie("value"), { maxLength: 5 }),
    object: fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    root: fc.oneof(
      fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
      fc.array(tie("object"), { minLength: 1, maxLength: 3 }),
    ),
  }));
  return root as fc.Arbitrary<unknown>;
}

const escapedSingle = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;

/** Raw line breaks and tabs where JSON wants escapes. */
const rawControls = (text: string) =>
  JSON.stringify(text).replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\r", "\r");

const MANGLERS: Record<string, { values: fc.Arbitrary<unknown>; style: Style }> = {
  "trailing commas": {
    values: documents(anyText),
    style: { beforeCloser: (roll, empty) => (empty ? "" : pick(roll, ",", ", ", ",\n", "")) },
  },
  "doubled and leading commas": {
    values: documents(anyText),
    style: { comma: (roll) => pick(roll, ",", ",,", ", ,") },
  },
  "missing commas": {
    values: documents(sentence),
    style: { comma: (roll) => pick(roll, "\n", "\n  ", " \n") },
  },
  "single quotes": {
    values: documents(anyText),
    style: { string: escapedSingle },
  },
  "mixed quotes": {
    values: documents(sentence),
    style: {
      string: (text, roll) => pick(roll, `'${text}'`, `"${text}"`, `“${text}”`, `‘${text}’`, `\`${text}\``),
    },
  },
  "curly quotes around text with straight quotes": {
    values: documents(sentence),
    style: { string: (text) => `“${text}”` },
  },
  "unquoted keys": {
    values: documents(anyText),
    style: { key: (text, roll) => pick(roll, text, `${text} `, JSON.stringify(text)) },
  },
  "unquoted values": {
    values: documents(sentence),
    style: { string: (text) => text, key: (text) => JSON.stringify(text) },
  },
  "Python literals": {
    values: documents(anyText),
    style: {
      string: escapedSingle,
      literal: (value) => (value === null ? "None" : value ? "True" : "False"),
    },
  },
  "upper-case literals": {
    values: documents(anyText),
    style: { literal: (value) => String(value).toUpperCase(), comma: () => ", " },
  },
  comments: {
    values: documents(anyText),
    style: {
      comma: (roll) => pick(roll, ', // it\'s a "note"\n', ", /* {[ */ ", "/* before */,", ",\n# hash\n"),
      colon: (roll) => pick(roll, ":", ": /* value */ "),
      beforeCloser: (roll) => pick(roll, "", " // last }\n", "/* ] */"),
    },
  },
  "raw control characters": {
    values: documents(
      fc.oneof(
        sentence,
        fc.array(sentence, { minLength: 2 }).map((lines) => lines.join("\n\t")),
      ),
    ),
    style: { string: rawControls },
  },
  "odd white space": {
    values: documents(anyText),
    style: { comma: (roll) => pick(roll, ",\u00a0", "\u2003,", ",\u200b"), colon: () => ":\u3000" },
  },
  "unescaped quotes": {
    values: documents(sentence.map((text) => text.replace(/ (\w+) /, ' "$1" '))),
    style: { string: (text) => `"${text}"`, comma: () => ", " },
  },
  "missing colons": {
    values: documents(sentence),
    style: { colon: (roll) => pick(roll, " ", "  ", " = ", " => ") },
  },
  "odd numbers": {
    values: documents(sentence),
    style: {
      number: (value) =>
        value > 0
          ? value % 3 === 0
            ? `+${value}`
            : value % 3 === 1
              ? `0x${value.toString(16)}`
              : `${value}.`
          : `${value}`,
    },
  },
  "a fence and prose": {
    values: documents(anyText),
    style: {
      wrap: (text, roll) =>
        pick(
          roll,
          `\`\`\`json\n${text}\n\`\`\``,
          `Sure, here it is:\n\n\`\`\`\n${text}\n\`\`\`\nAnything else?`,
          `The arguments: ${text}`,
          `\ufeff${text}`,
          `${text}\n\nThat is all.`,
        ),
    },
  },
  "special tokens after it": {
    values: documents(anyText),
    style: {
      wrap: (text, roll) =>
        text + pick(roll, "</s>", "<|im_end|>", "\n</tool_call>", "<|eot_id|>", ";", "}", "]}"),
    },
  },
  "missing closing brackets": {
    values: documents(anyText),
    style: { wrap: (text) => text.replace(/[\]}]+$/, "") },
  },
  "concatenated strings": {
    values: documents(sentence),
    style: {
      string: (text, roll) =>
        `${JSON.stringify(text.slice(0, 3))}${pick(roll, "+", " + ", " +\n  ")}${JSON.stringify(text.slice(3))}`,
      key: (text) => JSON.stringify(text),
    },
  },
  "unknown escapes": {
    values: documents(
      fc
        .array(word, { minLength: 1, maxLength: 4 })
        .map((words) => words.map((each) => `\\w${each}`).join(".")),
    ),
    style: { string: (text) => `"${text}"` },
  },
  "an escaped document": {
    values: documents(anyText),
    style: { wrap: (text) => JSON.stringify(text).slice(1, -1) },
  },
  "everything at once": {
    values: documents(sentence),
    style: {
      string: (text, roll) => pick(roll, `'${text}'`, `"${text}"`, `“${text}”`),
      key: (text, roll) => pick(roll, text, `'${text}'`, `"${text}"`),
      literal: (value) => (value === null ? "None" : value ? "True" : "False"),
      comma: (roll) => pick(roll, ",", ", // note\n", ",,", "\n"),
      beforeCloser: (roll, empty) => (empty ? "" : pick(roll, "", ",", " /* end */ ")),
      wrap: (text) => `Here you go:\n\`\`\`json\n${text}\n\`\`\``,
    },
  },
};

const RUNS = { numRuns: 200 };

describe("a value that went through a mangler comes back equal", () => {
  test.each(Object.entries(MANGLERS))("%s", (_name, { values, style }) => {
    fc.assert(
      fc.property(values, fc.integer(), (value, seed) => {
        const text = mangle(value, style, seed);
        const decoded = decode(text);
        expect(decoded, text).toMatchObject({ ok: true });
        if (decoded.ok) expect(decoded.value, text).toEqual(value);
      }),
      RUNS,
    );
  });
});

test("the tolerant parser reads valid JSON as it was written, with nothing to report", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: "binary" }),
      fc.constantFrom(undefined, 1, "\t"),
      (value, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed = parseAt(text, 0);
        expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(value));
        const isLone = typeof value !== "object" || value === null;
        if (!isLone) expect(parsed).toMatchObject({ end: text.length, complete: true, repairs: [] });
      },
    ),
    { numRuns: 1_000 },
  );
});

const kinds = new Set<string>(REPAIR_KINDS);
const noise = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(..."{}[]()\",:'\\/ \n`.+-=#*0123eEnulltrue"), maxLength: 60 }),
  fc.jsonValue().chain((value) => {
    const text = JSON.stringify(value);
    return fc
      .tuple(fc.nat(text.length), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([at, drop, insert]) => text.slice(0, at) + insert + text.slice(at + drop));
  }),
);

test("any text ends in a value or a clear failure, and every change leaves a trace", () => {
  fc.assert(
    fc.property(noise, fc.boolean(), (text, complete) => {
      const decoded = decode(text, { complete });
      if (!decoded.ok) {
        expect(decoded.failure).toMatchObject({
          kind: "validation",
          code: "TOOL_ARGUMENTS_INVALID_JSON",
          retryable: false,
        });
        expect(decoded.failure.message.length).toBeGreaterThan(20);
        return;
      }
      expect(decoded.value).not.toBe(undefined);
      if (decoded.mode === "repaired") expect(decoded.repairs, text).not.toHaveLength(0);
      for (const repair of decoded.repairs) {
        expect(kinds.has(repair.kind), repair.kind).toBe(true);
        expect(repair.position).toBeGreaterThanOrEqual(0);
        expect(repair.position).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 2_000 },
  );
});
