import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { tool as aiTool } from "ai";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ArgumentIssue } from "../failure/failure.ts";
import { tool } from "../tool/define-tool.ts";
import { fromAiSdk } from "../tool/from-ai-sdk.ts";
import type { AnyTool } from "../tool/tool.ts";
import { Executor } from "./executor.ts";

function callOf(each: AnyTool) {
  const executor = new Executor({ tools: [each] });
  return (args: unknown) => executor.call({ id: "c", name: each.name, arguments: args });
}

function echo(input: unknown): AnyTool {
  return tool({
    name: "echo",
    description: "Echoes",
    input,
    safety: { sideEffects: "none" },
    execute: (args: unknown) => args,
  });
}

const issuesOf = (failure: { details?: unknown } | undefined) =>
  (failure?.details as { arguments: ArgumentIssue[] } | undefined)?.arguments ?? [];

/** Everything here is valid to zod, and its JSON Schema refuses it or would have it coerced. */
const TAKEN: [string, z.ZodObject, unknown, unknown][] = [
  ["a flagged expression", z.object({ s: z.string().regex(/^[a-z]+$/i) }), { s: "ABC" }, { s: "ABC" }],
  ["a dot that takes lines", z.object({ s: z.string().regex(/^a.b$/s) }), { s: "a\nb" }, { s: "a\nb" }],
  ["an address in Unicode", z.object({ u: z.url() }), { u: "https://例え.jp/ä" }, { u: "https://例え.jp/ä" }],
  [
    "mail in Unicode",
    z.object({ m: z.email({ pattern: z.regexes.unicodeEmail }) }),
    { m: "jörg@exämple.com" },
    { m: "jörg@exämple.com" },
  ],
  ["text that is trimmed first", z.object({ s: z.string().trim().max(3) }), { s: "  abc  " }, { s: "abc" }],
  [
    "a preprocessed list",
    z.object({ l: z.preprocess((x) => (typeof x === "string" ? x.split(",") : x), z.array(z.string())) }),
    { l: "a,b" },
    { l: ["a", "b"] },
  ],
  ["a value to fall back to", z.object({ n: z.number().catch(42) }), { n: "abc" }, { n: 42 }],
  ["a missing one to fall back to", z.object({ n: z.number().catch(42) }), {}, { n: 42 }],
];

describe("what the library takes runs as the library reads it", () => {
  test.each(TAKEN)("%s", async (_name, input, args, expected) => {
    const { value, decoded } = await callOf(echo(input))(args);
    expect(value).toEqual(expected);
    expect(decoded).toMatchObject({ mode: "strict", repairs: [] });
  });

  test.each(TAKEN)("%s, in an AI SDK tool", async (_name, inputSchema, args, expected) => {
    const each = fromAiSdk("echo", aiTool({ description: "Echoes", inputSchema, execute: (given) => given }));
    expect((await callOf(each)(args)).value).toEqual(expected);
  });
});

test("what is coerced in one place does not overtake the library in another", async () => {
  const split = z.preprocess((x) => (typeof x === "string" ? x.split(",") : x), z.array(z.string()));
  const call = callOf(echo(z.object({ l: split, u: z.url(), n: z.number() })));
  const { value, decoded } = await call({ l: "a,b", u: "https://例え.jp/", n: "3" });
  expect(value).toEqual({ l: ["a", "b"], u: "https://例え.jp/", n: 3 });
  expect(decoded.repairs).toMatchObject([{ kind: "string-to-number", path: "/n" }]);
});

test("everything a model gets wrong is coerced, also where a library names one thing at a time", async () => {
  const branch = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), n: z.number() }),
    z.object({ kind: z.literal("b"), s: z.string() }),
  ]);
  expect((await callOf(echo(z.object({ what: branch })))({ what: { kind: "A", n: "3" } })).value).toEqual({
    what: { kind: "a", n: 3 },
  });
  const first = v.object({ n: v.number(), m: v.number() });
  const stopping = toStandardJsonSchema(first);
  const { validate, ...rest } = stopping["~standard"];
  const lazy = {
    "~standard": {
      ...rest,
      validate: async (value: unknown) => {
        const answer = await validate(value);
        return answer.issues === undefined ? answer : { issues: answer.issues.slice(0, 1) };
      },
    },
  };
  expect((await callOf(echo(lazy))({ n: "1", m: "2" })).value).toEqual({ n: 1, m: 2 });
});

test("z.coerce reads what the model meant, not what JavaScript makes of it", async () => {
  const call = callOf(echo(z.object({ force: z.coerce.boolean(), n: z.coerce.number() })));
  expect((await call({ force: "false", n: "3" })).value).toEqual({ force: false, n: 3 });
  expect((await call({ force: true, n: 3 })).decoded.mode).toBe("strict");
  expect(issuesOf((await call({ force: true, n: "many" })).failure)).toMatchObject([
    { path: "/n", expected: "number", received: 'string "many"' },
  ]);
});

describe("z.coerce makes nothing up", () => {
  const schemas = {
    number: z.coerce.number(),
    boolean: z.coerce.boolean(),
    string: z.coerce.string(),
    date: z.coerce.date(),
    bigint: z.coerce.bigint(),
    int: z.coerce.number().int().pipe(z.number().max(5)),
    perhaps: z.coerce.number().optional(),
    list: z.array(z.coerce.number()),
    record: z.record(z.string(), z.coerce.number()),
    orNull: z.coerce.number().nullable(),
    orAuto: z.union([z.coerce.number(), z.literal("auto")]),
  };
  const call = (name: keyof typeof schemas, v: unknown) =>
    callOf(echo(z.object({ v: schemas[name] })))({ v });

  test.each<[keyof typeof schemas, unknown]>([
    ...(["number", "boolean", "date", "bigint"] as const).flatMap((name) =>
      ["", " ", "nope", [], {}].map((value): [typeof name, unknown] => [name, value]),
    ),
    ["number", null],
    ["number", true],
    ["number", "9007199254740993"],
    ["boolean", null],
    ["string", null],
    ["string", { a: 1 }],
    ["date", null],
    ["date", 0],
    ["date", "item 1"],
    ["bigint", true],
    ["int", ""],
    ["perhaps", ""],
    ["list", [""]],
    ["record", { a: "" }],
    ["orNull", ""],
    ["orAuto", ""],
  ])("%s of %j is refused", async (name, value) => {
    const { value: ran, failure } = await call(name, value);
    expect(ran).toBeUndefined();
    expect(issuesOf(failure)[0]?.path).toMatch(/^\/v/);
  });

  test.each<[keyof typeof schemas, unknown, unknown]>([
    ["number", " 3 ", 3],
    ["boolean", "no", false],
    ["string", 12, "12"],
    ["date", "2024-05-01", new Date("2024-05-01")],
    ["date", "2024-05-01T10:00:00+02:00", new Date("2024-05-01T08:00:00Z")],
    ["bigint", "12345678901234567890", 12345678901234567890n],
    ["bigint", 5, 5n],
    ["int", "5", 5],
    ["perhaps", null, undefined],
    ["list", ["1", 2], [1, 2]],
    ["orNull", null, null],
    ["orAuto", "auto", "auto"],
  ])("%s of %j is read", async (name, value, meant) => {
    let seen: unknown;
    const input = z.object({ v: schemas[name] });
    const tell = tool({
      name: "tell",
      description: "Tells",
      input,
      safety: { sideEffects: "none" },
      execute: ({ v }) => {
        seen = v;
        return "done";
      },
    });
    expect((await callOf(tell)({ v: value })).failure).toBeUndefined();
    expect(seen).toEqual(meant);
  });

  test("the model is not told how", () => {
    expect(JSON.stringify(echo(z.object(schemas)).input.jsonSchema)).not.toContain("~");
  });
});

test("a transform runs once, on the value that is taken", async () => {
  const seen: unknown[] = [];
  const input = z.object({
    n: z.number().transform((n) => {
      seen.push(n);
      return n * 2;
    }),
  });
  expect((await callOf(echo(input))({ n: "4" })).value).toEqual({ n: 8 });
  expect(seen).toEqual([4]);
});

test("what both refuse is told in the words of the JSON Schema, what only the library refuses in its own", async () => {
  const input = z
    .object({ n: z.number().max(5), u: z.url(), even: z.number().refine((n) => n % 2 === 0, "must be even") })
    .strict();
  const { failure } = await callOf(echo(input))({ n: 9, u: "https://例え.jp/", even: 3 });
  expect(issuesOf(failure).map(({ message }) => message)).toEqual([
    "n: expected number ≤ 5, received number 9.",
    "even: must be even",
  ]);
  const unknown = await callOf(echo(z.strictObject({ limit: z.number() })))({ limit: 1, limt: 2 });
  expect(issuesOf(unknown.failure)).toMatchObject([{ path: "/limt" }]);
});

test("a list of very many wrong items is told in a few words", async () => {
  const { failure } = await callOf(echo(z.object({ l: z.array(z.number()) })))({
    l: Array(5_000).fill("x"),
  });
  expect(issuesOf(failure).length).toBeLessThanOrEqual(21);
});

test("arktype's issues at the root are the model's, not the tool's", async () => {
  const range = type({ from: "number", to: "number" }).narrow(
    ({ from, to }, ctx) => from < to || ctx.mustBe("a range whose end comes after its start"),
  );
  const { failure } = await callOf(echo(range))({ from: 3, to: 1 });
  expect(failure?.kind).toBe("validation");
  expect(issuesOf(failure)).toMatchObject([
    { path: "", message: expect.stringContaining("end comes after") },
  ]);
});

test.each([
  ["zod", z.object({ n: z.number(), tags: z.array(z.string()), o: z.object({ b: z.boolean() }).optional() })],
  ["arktype", type({ n: "number", tags: "string[]", "o?": { b: "boolean" } })],
  [
    "valibot",
    toStandardJsonSchema(
      v.object({ n: v.number(), tags: v.array(v.string()), o: v.optional(v.object({ b: v.boolean() })) }),
    ),
  ],
])("%s refuses what is coerced then, place by place", async (_name, input) => {
  const call = callOf(echo(input));
  const { value, decoded } = await call({ n: "3", tags: "a", o: { b: "true" } });
  expect(value).toEqual({ n: 3, tags: ["a"], o: { b: true } });
  expect(decoded.repairs.map(({ path }) => path)).toEqual(["/n", "/tags", "/o/b"]);
  expect((await call({ n: 3, tags: ["a"], o: null })).value).toEqual({ n: 3, tags: ["a"] });
  const { failure } = await call({ n: "many", tags: ["a", 1], o: { b: [] } });
  expect(issuesOf(failure).map(({ path }) => path)).toEqual(["/n", "/o/b"]);
});

test("a list is no object, whatever a library thinks of it", async () => {
  const input = toStandardJsonSchema(v.object({ a: v.optional(v.string()) }));
  expect((await callOf(echo(input))([1, 2])).failure?.kind).toBe("validation");
  expect((await callOf(echo(type({ "a?": "string" })))([1, 2])).failure?.kind).toBe("validation");
  expect((await callOf(echo(input))('"{\\"a\\":\\"b\\"}"')).value).toEqual({ a: "b" });
});

test("valibot's checks, custom types and flags are registered and enforced", async () => {
  const input = toStandardJsonSchema(
    v.object({
      n: v.pipe(
        v.number(),
        v.check((n) => n > 1, "more than one"),
      ),
      s: v.pipe(v.string(), v.regex(/^[a-z]+$/i)),
      c: v.custom<string>((x) => x === "yes"),
    }),
  );
  const call = callOf(echo(input));
  expect((await call({ n: "2", s: "ABC", c: "yes" })).value).toEqual({ n: 2, s: "ABC", c: "yes" });
  expect(issuesOf((await call({ n: 1, s: "ABC", c: "no" })).failure).map(({ path }) => path)).toEqual([
    "/n",
    "/c",
  ]);
});

test("an example that the library takes is no mistake", () => {
  const spec = { name: "echo", description: "Echoes", execute: () => 1 };
  const input = z.object({ s: z.string().regex(/^[a-z]+$/i) });
  expect(() => tool({ ...spec, input, examples: [{ arguments: { s: "ABC" } }] })).not.toThrow();
  expect(() => tool({ ...spec, input, examples: [{ arguments: { s: "1" } }] })).toThrow("examples[0]");
});

test("an output that the library takes is no mistake either", async () => {
  const each = tool({
    name: "echo",
    description: "Echoes",
    input: z.object({}),
    output: z.object({ u: z.url() }),
    safety: { sideEffects: "none" },
    execute: () => ({ u: "https://例え.jp/" }),
  });
  expect((await callOf(each)({})).isError).toBe(false);
});

test("a value too deep for the library is the model's mistake", async () => {
  const node: z.ZodType = z.object({ next: z.lazy(() => node).optional() });
  let deep: unknown = { next: 1 };
  for (let i = 0; i < 20_000; i++) deep = { next: deep };
  expect((await callOf(echo(z.object({ node })))({ node: deep })).failure?.kind).toBe("validation");
});
