import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolDefinition } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { declarations } from "./declarations.ts";

const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
const folder = mkdtempSync(join(tmpdir(), "toolrig-declarations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the installed compiler says of a script: lines with an error, relative to the script. */
function errors(definitions: readonly ToolDefinition[], script: string): number[] {
  const head = declarations(definitions);
  writeFileSync(join(folder, "script.ts"), `${head}async function script() {\n${script}\n}\n`);
  const options = [
    "--noEmit",
    "--ignoreConfig",
    "--strict",
    "--target",
    "es2023",
    "--pretty",
    "false",
    "--types",
    "",
  ];
  try {
    execFileSync(process.execPath, [TSC, ...options, join(folder, "script.ts")], { stdio: "pipe" });
    return [];
  } catch (error) {
    const out = String((error as { stdout: Buffer }).stdout);
    if (!out.includes("script.ts(")) throw error;
    const offset = head.split("\n").length;
    return [...new Set([...out.matchAll(/\((\d+),\d+\): error/g)].map(([, line]) => Number(line) - offset))];
  }
}

function define(
  name: string,
  inputSchema: object,
  outputSchema?: object,
  description = "Does it",
): ToolDefinition {
  return {
    name,
    description,
    inputSchema: inputSchema as ToolDefinition["inputSchema"],
    ...(outputSchema !== undefined && { outputSchema: outputSchema as ToolDefinition["inputSchema"] }),
  };
}

const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: "object",
  properties,
  required,
  ...more,
});

const node = {
  $ref: "#/$defs/node",
  $defs: {
    node: object({ value: { type: "number" }, next: { $ref: "#/$defs/node" } }, ["value"]),
    other: { anyOf: [{ $ref: "#/$defs/other" }, { type: "string" }] },
  },
};

const SAMPLES: readonly ToolDefinition[] = [
  define(
    "search_docs",
    object({ query: { type: "string" }, limit: { type: "integer", default: 10 } }, ["query"]),
    { type: "array", items: object({ title: { type: "string" } }, ["title"]) },
  ),
  define(
    "set-mode",
    object({ mode: { enum: ["fast", "slow", 3, null] }, "dry run": { const: true } }, ["mode"]),
  ),
  define("walk", node, node),
  define(
    "put",
    object({ at: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false } }, [
      "at",
    ]),
  ),
  define(
    "tag",
    object(
      {
        tags: { type: "object", additionalProperties: { type: "string" } },
        note: { type: ["string", "null"] },
      },
      ["tags"],
    ),
  ),
  define("mixed", object({ id: { type: "number" } }, ["id"], { additionalProperties: { type: "string" } })),
  define(
    "either",
    object({ who: { oneOf: [{ type: "string" }, object({ id: { type: "number" } }, ["id"])] } }, ["who"]),
  ),
  define("both", {
    allOf: [object({ a: { type: "string" } }, ["a"]), object({ b: { type: "number" } }, ["b"])],
  }),
  define("nothing", { type: "object" }),
  define("new", object({ __proto__: {}, "a b": { type: "string" } }, ["a b"])),
];

test("right calls pass the compiler, and wrong ones do not", () => {
  const lines: [script: string, right: boolean][] = [
    ["(await tools.search_docs({ query: 'x' }))[0]?.title.length;", true],
    ["await tools.search_docs({ query: 1 });", false],
    ["await tools.search_docs({ limit: 1 });", false],
    ["await tools.search_docs({ query: 'x', limt: 1 });", false],
    ["(await tools.search_docs({ query: 'x' }))[0]?.titel;", false],
    ["await tools['set-mode']({ mode: 'fast', 'dry run': true });", true],
    ["await tools['set-mode']({ mode: null });", true],
    ["await tools['set-mode']({ mode: 'faster' });", false],
    ["(await tools.walk({ value: 1, next: { value: 2, next: { value: 3 } } })).next?.next?.value;", true],
    ["await tools.walk({ value: 1, next: { value: 2, next: { value: 'x' } } });", false],
    ["await tools.put({ at: [1, 'x'] });", true],
    ["await tools.put({ at: [1, 'x', 2] });", false],
    ["await tools.tag({ tags: { any: 'x' }, note: null });", true],
    ["await tools.tag({ tags: { any: 1 } });", false],
    ["await tools.mixed({ id: 1, colour: 'red' });", true],
    ["await tools.mixed({ id: '1', colour: 'red' });", false],
    ["await tools.either({ who: { id: 1 } }); await tools.either({ who: 'x' });", true],
    ["await tools.either({ who: { id: 'x' } });", false],
    ["await tools.both({ a: 'x', b: 1 });", true],
    ["await tools.both({ a: 'x' });", false],
    ["(await tools.nothing()).whatever;", true],
    ["await tools.new({ 'a b': 'x' });", true],
    ["await tools.no_such_tool({});", false],
    ["try { await tools.nothing(); } catch (e) { (e as ToolError).code.length; }", true],
  ];
  const wrong = lines.flatMap(([, right], index) => (right ? [] : [index + 1]));
  expect(errors(SAMPLES, lines.map(([script]) => script).join("\n"))).toEqual(wrong);
});

test("what a schema or a description holds cannot break the text", () => {
  const hostile = "*/ } declare const evil: string; /* \u2028 \u202e \u0000\r\n * @ts-nocheck */";
  const circular = {
    anyOf: [{ $ref: "#/$defs/a" }],
    $defs: {
      a: { allOf: [object({ x: { $ref: "#/$defs/b" } }), { $ref: "#/$defs/b" }] },
      b: { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] },
      c: { $ref: "#/$defs/c" },
    },
  };
  const tools = [
    define(
      "one",
      object({ [hostile]: { type: "string", description: hostile, default: hostile } }, [hostile]),
      { const: hostile },
      hostile,
    ),
    define("two", circular, circular),
    define("three", { $ref: "#" }, { $ref: "#/$defs/c", $defs: circular.$defs }),
    define(
      "four",
      { $ref: "https://elsewhere.example/schema" },
      { type: "object", required: 3, properties: [], enum: [] },
    ),
    define(
      "five",
      { type: "object", properties: { self: { $ref: "#" } } },
      { type: "array", prefixItems: [true, false], minItems: 1 },
    ),
    define("six", {
      type: "object",
      properties: { a: { $ref: "#/properties/b" }, b: { type: "array", items: { $ref: "#/properties/a" } } },
    }),
  ];
  const text = declarations(tools);
  for (const hidden of ["\u202e", "\u2028", "\u0000"]) expect(text).not.toContain(hidden);
  expect(errors(tools, `evil;\nawait tools.one({ ${JSON.stringify(hostile)}: "x" });`)).toEqual([1]);
});

test("what is too large is cut, and says so", () => {
  const wide = object(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: "string" }])),
  );
  const deep = Array.from({ length: 400 }).reduce<object>((inner) => object({ inner }), { type: "string" });
  const huge = object({ text: { const: "x".repeat(10_000) } });
  const tools = [define("wide", wide), define("deep", deep), define("huge", huge), ...SAMPLES];
  const text = declarations(tools);
  expect(text).toMatch(/\/\/ Its types are too large to be shown[.]\n {2}huge\(args: any\)/);
  expect(text).toMatch(/\/\/ Parts of its types are cut: they are any[.]\n {2}deep/);
  expect(text).toMatch(/\/\/ Parts of its types are cut: they are any[.]\n {2}wide/);
  expect(errors(tools, "await tools.deep({ inner: { inner: {} } }); await tools.wide({ p1: 'x' });")).toEqual(
    [],
  );

  const many = Array.from({ length: 3_000 }, (_, index) => define(`tool_${index}`, wide));
  const bounded = declarations(many, { maxLength: 5_000 });
  expect(bounded.length).toBeLessThan(7_000);
  expect(bounded).toMatch(/\/\/ … and \d+ more tools, which can be called all the same/);
});

test.each([null, {}, [5], [{}]])("what is no list of definitions is refused: %j", (given) => {
  expect(() => declarations(given as never)).toThrow(/definitions.* must be/);
});
