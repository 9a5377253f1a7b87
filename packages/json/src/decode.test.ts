import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    zip: { type: "string" },
    age: { type: "integer" },
    active: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    address: { $ref: "#/$defs/address" },
    score: { anyOf: [{ type: "number" }, { type: "null" }] },
  },
  $defs: { address: { type: "object", properties: { street: { type: "string" }, no: { type: "string" } } } },
};

function decodedValue(text: string, schema?: unknown): unknown {
  const decoded = decode(text, { schema });
  return decoded.ok ? decoded.value : decoded.failure;
}

function kindsOf(text: string, schema?: unknown): string[] {
  const decoded = decode(text, { schema });
  return decoded.ok ? decoded.repairs.map((repair) => repair.kind) : ["failure"];
}

describe("a valid document", () => {
  test.each([
    '{"a":1}',
    " [1, 2] ",
    '"text"',
    "null",
    "-0.5e3",
    '{"a":{"a":[[]]}}',
    '"\\ud800"',
    '{"a":1,"a":2}',
  ])("is what JSON.parse gives: %s", (text) => {
    expect(decode(text)).toEqual({
      ok: true,
      value: JSON.parse(text),
      mode: "strict",
      degree: "exact",
      repairs: [],
    });
  });

  test("is partial all the same when the model was stopped", () => {
    expect(decode('{"a":1}', { complete: false })).toMatchObject({
      ok: true,
      value: { a: 1 },
      mode: "partial",
    });
  });

  test("keeps a string that looks like a broken document", () => {
    expect(decode('"{a: 1,}"')).toMatchObject({ ok: true, value: "{a: 1,}", mode: "strict" });
  });
});

describe("what was changed", () => {
  test("is listed with its position and what was there", () => {
    expect(decode("{'a': 1,}")).toEqual({
      ok: true,
      value: { a: 1 },
      mode: "repaired",
      degree: "exact",
      repairs: [
        { kind: "quote", degree: "exact", position: 1, before: "'", after: '"' },
        { kind: "trailing-comma", degree: "exact", position: 7, before: ",", after: "" },
      ],
    });
  });

  test("is an excerpt when it is long", () => {
    const decoded = decode(`${"word ".repeat(100)}{"a": 1}`);
    expect(decoded).toMatchObject({ ok: true, repairs: [{ kind: "surrounding-text", position: 0 }] });
    if (decoded.ok) expect(decoded.repairs[0]?.before).toHaveLength(80);
  });

  test("is counted rather than listed past a thousand items", () => {
    const decoded = decode(`[${"a ,,".repeat(3_000)}]`);
    expect(decoded.ok && decoded.repairs).toHaveLength(1_001);
    expect(decoded.ok && decoded.repairs.at(-1)).toMatchObject({ kind: "unlisted" });
  });
});

describe("a cut text", () => {
  test("keeps brackets at its end as content when the model was stopped", () => {
    const text = '{"code": "if (x) { y }';
    expect(decode(text)).toMatchObject({ value: { code: "if (x) { y" }, mode: "partial", degree: "lossy" });
    expect(decode(text, { complete: false })).toMatchObject({
      value: { code: "if (x) { y }" },
      mode: "partial",
    });
  });

  test("makes a number partial, since a digit may be missing", () => {
    expect(decode('{"amount": 10')).toMatchObject({ value: { amount: 10 }, mode: "partial" });
    expect(decode('{"amount": 100}}')).toMatchObject({ value: { amount: 100 }, mode: "repaired" });
  });
});

describe("a schema decides ties", () => {
  test.each([
    ["{name: Ada}", { name: "Ada" }],
    ["{name: True}", { name: "True" }],
    ["{name: 0x1F}", { name: "0x1F" }],
    ["{zip: 01234}", { zip: "01234" }],
    ["{age: 007}", { age: 7 }],
    ["{active: True}", { active: true }],
    ["{name: None}", { name: null }],
    ["{tags: [1_0, yes]}", { tags: ["1_0", "yes"] }],
    ["{address: {no: +4}}", { address: { no: "+4" } }],
    ["{score: .5}", { score: 0.5 }],
    ["{age: 5 years}", { age: 5 }],
  ])("%s", (text, meant) => {
    expect(decodedValue(text, person)).toEqual(meant);
  });

  test("which of several documents is meant", () => {
    expect(decodedValue('{"thought": "hm"}\n{"name": "Ada"}', person)).toEqual({ name: "Ada" });
    expect(decodedValue('{"name": "Ada"}, {"name": "Bob"}', person)).toEqual({ name: "Ada" });
    expect(decodedValue('Take {"id": 1} and [1, 2] then', { type: "array" })).toEqual([1, 2]);
  });

  test("a document inside a string is decoded again", () => {
    expect(decode('"{\\"name\\": \\"Ada\\"}"', { schema: person })).toEqual({
      ok: true,
      value: { name: "Ada" },
      mode: "repaired",
      degree: "exact",
      repairs: [{ kind: "double-encoded", degree: "exact", position: 0, before: '"', after: "" }],
    });
    expect(decodedValue('"{\\"name\\": \\"Ada\\"}"')).toBe('{"name": "Ada"}');
    expect(kindsOf("\"{'name': 'Ada'}\"", person)).toEqual(["double-encoded", "quote", "quote"]);
    expect(decodedValue('"plain text"', person)).toBe("plain text");
  });

  test("no arguments at all are an empty object", () => {
    expect(decode(" \n", { schema: person })).toEqual({
      ok: true,
      value: {},
      mode: "repaired",
      degree: "exact",
      repairs: [{ kind: "empty", degree: "exact", position: 0, before: "", after: "{}" }],
    });
    expect(decode("")).toMatchObject({ ok: false });
  });

  test("a key one edit away from a known one is noted, not renamed", () => {
    expect(decode('{"nmae": "Ada", "age": 3, "address": {"streat": "x"}}', { schema: person })).toEqual({
      ok: true,
      value: { nmae: "Ada", age: 3, address: { streat: "x" } },
      mode: "strict",
      degree: "guess",
      repairs: [
        { kind: "near-key", degree: "guess", path: "/nmae", before: "nmae", after: "name" },
        { kind: "near-key", degree: "guess", path: "/address/streat", before: "streat", after: "street" },
      ],
    });
    expect(kindsOf('{"name": "Ada", "names": 1}', person)).toEqual(["unknown-key"]);
  });

  test("a hostile schema neither hangs nor throws", () => {
    const loop: Record<string, unknown> = { $ref: "#" };
    loop.anyOf = Array.from({ length: 100 }, () => ({ $ref: "#", allOf: [{ $ref: "#" }] }));
    expect(decodedValue("{a: 1}", loop)).toEqual({ a: 1 });
    for (const schema of [
      null,
      true,
      5,
      "x",
      [],
      { $ref: "#/%" },
      { type: 3 },
      { properties: [], items: "x" },
    ]) {
      expect(decodedValue("{a: [1]}", schema)).toEqual({ a: [1] });
    }
  });
});

describe("keys that JavaScript gives a meaning are plain data", () => {
  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])(
    "%s",
    (key) => {
      const decoded = decode(`{${key}: {"polluted": true}, 'b': 1,}`);
      const value = decoded.ok ? (decoded.value as Record<string, unknown>) : {};
      expect(Object.keys(value)).toEqual([key, "b"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.getOwnPropertyDescriptor(value, key)?.value).toEqual({ polluted: true });
      expect(({} as Record<string, unknown>).polluted).toBe(undefined);
      expect(decoded.ok && decoded.repairs.some((repair) => repair.kind === "duplicate-key")).toBe(false);
    },
  );
});

test.each(['"a"\n"b"', "'a'\n'b'", "1\n2"])("two values are not silently one: %j", (text) => {
  expect(decode(text).ok).toBe(false);
});

describe("a failure tells the model what to do", () => {
  test.each(["I cannot help with that.", "]", "{foo}", "}{", ":", "/", "\u0000"])("for %j", (text) => {
    const decoded = decode(text);
    expect(decoded).toMatchObject({
      ok: false,
      failure: {
        kind: "validation",
        code: "TOOL_ARGUMENTS_INVALID_JSON",
        retryable: false,
        details: { position: 0 },
      },
    });
    expect(!decoded.ok && decoded.failure.message).toMatch(/Send only the JSON value/);
  });

  test("names the type that was wanted", () => {
    const decoded = decode("Sorry, no.", { schema: person });
    expect(!decoded.ok && decoded.failure.message).toBe(
      'Expected one JSON object as arguments but got text that begins with "Sorry, no.". Send only the JSON object, without prose around it.',
    );
  });

  test("says where a lone string cannot be read", () => {
    const decoded = decode('"line\n\\u12 x"');
    expect(!decoded.ok && decoded.failure.message).toContain("position 6 (line 2, column 1)");
  });

  test("too much nesting", () => {
    const decoded = decode("[".repeat(200_000));
    expect(decoded).toMatchObject({ ok: false, failure: { details: { position: 1_000 } } });
    expect(decode("[".repeat(200_000), { limits: { maxDepth: 300_000 } })).toMatchObject({
      ok: true,
      mode: "partial",
    });
    expect(decode('[{"a":[', { limits: { maxDepth: 2 } })).toMatchObject({
      ok: false,
      failure: { details: { position: 6 } },
    });
  });

  test("too much text", () => {
    const decoded = decode("[1, 2, 3]", { limits: { maxLength: 5 } });
    expect(!decoded.ok && decoded.failure.message).toBe(
      "The arguments are 9 characters long, more than the 5 that are accepted; send less.",
    );
  });
});
