import { must, type StdioBehaviour } from "../behaviour.ts";
import { ECHO, named, text } from "../peer.ts";
import type { Scene } from "../scene.ts";

const LONG = `${"a".repeat(30_000)}!`;
const withString = (more: object) => ({
  inputSchema: { type: "object", properties: { s: { type: "string", ...more } } },
});

/** A server that lists one bad tool beside a good one. */
function beside(name: string, bad: object, reason: RegExp): StdioBehaviour {
  return {
    name,
    outcome: "the tool is skipped with a reason, the others are there",
    server: () => ({ "tools/list": () => ({ tools: [named("bad", bad), ECHO] }) }),
    async check(scene) {
      const { skipped, tools } = scene.status();
      must(tools.length === 1, `${tools.length} tools are registered: ${tools.join(", ")}`);
      must(reason.test(skipped[0]?.reason ?? ""), `skipped for another reason: ${JSON.stringify(skipped)}`);
      must(!(await scene.call("echo", { a: 1 })).isError, "the good tool does not answer");
    },
  };
}

/** A server whose tool is taken, and whose schema costs no more than its size allows. */
function bounded(name: string, schema: object, args: unknown, isValid: boolean): StdioBehaviour {
  return {
    name,
    outcome: "arguments are checked in bounded time",
    server: () => ({ "tools/list": () => ({ tools: [named("bad", schema)] }) }),
    async check(scene: Scene) {
      const { isError, failure } = await scene.call("bad", args);
      must(
        isError !== isValid,
        `the arguments were ${isError ? "refused" : "taken"}: ${failure?.message.slice(0, 200)}`,
      );
    },
  };
}

function nested(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
}

/** Every definition refers twice to the next. */
function doubling(depth: number, by: string): object {
  const twice = (ref: object) => {
    if (by === "items") return { type: "array", prefixItems: [ref, ref] };
    if (by === "allOf") return { allOf: [ref, ref] };
    if (by === "additionalProperties")
      return { type: "object", properties: { a: ref }, additionalProperties: ref };
    return { type: "object", properties: { a: ref, b: ref } };
  };
  const $defs = many(depth, (level) => [
    `d${level}`,
    level === 0 ? { type: "string" } : twice({ $ref: `#/$defs/d${level - 1}` }),
  ]);
  return { type: "object", properties: { a: { $ref: `#/$defs/d${depth - 1}` } }, $defs };
}

const many = (count: number, each: (index: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => each(index)));

export const schemas: readonly StdioBehaviour[] = [
  bounded("a pattern that backtracks for ever", withString({ pattern: "^(a+)+$" }), { s: LONG }, false),
  bounded("patterns of overlapping choices", withString({ pattern: "^(a|a|aa)*$" }), { s: LONG }, false),
  bounded(
    "a catastrophic pattern for property names",
    { inputSchema: { type: "object", patternProperties: { "^(a+)+$": { type: "number" } } } },
    { [LONG]: "text" },
    true,
  ),
  bounded("formats on a long text", withString({ format: "email" }), { s: `${"a".repeat(50_000)}@` }, false),
  beside(
    "a pattern that only backtracking can run",
    withString({ pattern: "^(?=(a+)+)b\\1$" }),
    /linear time/,
  ),
  beside(
    "patterns that take seconds to compile",
    {
      inputSchema: {
        type: "object",
        properties: many(900, (index) => [`p${index}`, { pattern: `(?:a?){999}b${index}` }]),
      },
    },
    /regular expressions/,
  ),
  ...["properties", "items", "additionalProperties", "allOf"].map((by) =>
    beside(
      `a schema of 31 definitions that double by ${by}`,
      { inputSchema: doubling(31, by) },
      by === "allOf" ? /written out|more than 5000/ : /written out/,
    ),
  ),
  beside("a schema nested 2,000 deep", { inputSchema: nested(1_000) }, /nested more than/),
  beside(
    "a schema of 1 MB",
    {
      inputSchema: {
        type: "object",
        properties: many(20_000, (index) => [`property_${index}`, { type: "string" }]),
      },
    },
    /larger than/,
  ),
  beside("a reference that leads to itself", { inputSchema: { type: "object", $ref: "#" } }, /itself/),
  beside(
    "references in a circle",
    {
      inputSchema: {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      },
    },
    /itself/,
  ),
  beside(
    "choices that double with every reference",
    {
      inputSchema: {
        type: "object",
        $ref: "#/$defs/d0",
        $defs: many(30, (index) => [
          `d${index}`,
          index === 29
            ? {}
            : { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
        ]),
      },
    },
    /subschemas|written out/,
  ),
  beside(
    "a reference to another host",
    { inputSchema: { type: "object", $ref: "http://127.0.0.1:9/s.json" } },
    /refers to/,
  ),
  beside("no schema at all", { inputSchema: undefined }, /inputSchema/),
  beside("a list in place of a schema", { inputSchema: [] }, /schema/i),
  beside("arguments that are no object", { inputSchema: { type: "array" } }, /object/),
  {
    name: "names of an object's own members as properties",
    outcome: "they are properties like any other; no object is changed by them",
    server: () => ({
      "tools/list": () => ({
        tools: [
          named("bad", {
            inputSchema: JSON.parse(
              '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
            ),
          }),
        ],
      }),
      "tools/call": () =>
        JSON.parse(
          '{"content":[],"structuredContent":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}}',
        ),
    }),
    async check(scene) {
      await scene.call("bad", JSON.parse('{"__proto__":"x","constructor":"y"}'));
      must(!("polluted" in {}), "an object was changed");
    },
  },
  {
    name: "an output schema with a bomb for its own answer",
    outcome: "the answer is checked in bounded time and refused: TOOL_OUTPUT_INVALID",
    server: () => ({
      "tools/list": () => ({
        tools: [
          named("bad", {
            outputSchema: { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } },
          }),
        ],
      }),
      "tools/call": () => text("", { structuredContent: { s: LONG } }),
    }),
    async check(scene) {
      const { failure } = await scene.call("bad");
      must(
        failure?.code === "TOOL_OUTPUT_INVALID",
        `it came to ${failure?.code}: ${failure?.message.slice(0, 200)}`,
      );
    },
  },
];
