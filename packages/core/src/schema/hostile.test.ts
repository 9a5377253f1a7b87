import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";

/** Far more than any of these takes. A thread that reaches it is killed, and its test fails. */
const LIMIT_MS = 60_000;

const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const modules = Promise.all([import(workerData.validate), import(workerData.coerce)]);
  parentPort.on("message", async (attack) => {
    const [{ validatorFor }, { coerce }] = await modules;
    parentPort.postMessage(run(attack));
    function run({ schema: text, value: data, trusted }) {
      try {
        const schema = JSON.parse(text);
        const validator = validatorFor(schema, { trusted });
        const value = JSON.parse(data);
        const valid = validator.check(value);
        const coerced = coerce(value, schema, { trusted }).ok;
        if (valid !== (validator.issues(value).length === 0) || (valid && !coerced)) return "inconsistent";
        if ("pwned" in globalThis) return "ran code of the schema";
        return valid ? "valid" : coerced ? "coerced" : "invalid";
      } catch (error) {
        return error.code === "SCHEMA_INVALID" ? error.message : "threw " + error;
      }
    }
  });`;

let thread: Worker | undefined;

function start(): Worker {
  const workerData = {
    validate: new URL("./validate.ts", import.meta.url).href,
    coerce: new URL("../coerce/coerce.ts", import.meta.url).href,
  };
  return new Worker(THREAD, { eval: true, workerData, execArgv: ["--no-warnings"] });
}

afterAll(() => thread?.terminate());

/**
 * Runs a schema from outside against a value in another thread and says how that ended. Both are JSON text, so that
 * the thread meets them as it would on the wire.
 */
function attack(schema: string, value = "{}", trusted = false): Promise<string> {
  thread ??= start();
  const worker = thread;
  return new Promise((resolve) => {
    const end = (outcome: string, dead: boolean) => {
      clearTimeout(timer);
      worker.off("message", answered);
      worker.off("error", crashed);
      if (dead) {
        thread = undefined;
        void worker.terminate();
      }
      resolve(outcome);
    };
    const answered = (outcome: string) => end(outcome, false);
    const crashed = (error: Error) => end(`crashed: ${error.message}`, true);
    const timer = setTimeout(() => end("never ended", true), LIMIT_MS);
    worker.on("message", answered);
    worker.on("error", crashed);
    worker.postMessage({ schema, value, trusted });
  });
}

const json = JSON.stringify;
const options = { timeout: LIMIT_MS + 10_000 };

test.for([
  ["nested repeats", "^(a+)+$"],
  ["overlapping alternatives", "^(a|a)*$"],
  ["overlapping repeats", "a*a*a*a*a*a*a*a*b$"],
  ["an unanchored repeat", "a+b"],
  ["a repeated optional", "^(a?){200}a{200}$"],
  ["a class with an escape", "^([\\w-]+)*\\.$"],
])("a catastrophic pattern ends: %s", options, async ([, pattern]) => {
  const schema = json({ type: "object", properties: { s: { type: "string", pattern } } });
  expect(await attack(schema, json({ s: `${"a".repeat(50_000)}!` }))).toBe("invalid");
  expect(await attack(schema, json({ s: `${"a".repeat(50_000)}!` }), true)).toBe("invalid");
});

test("a catastrophic pattern for property names ends", options, async () => {
  const schema = json({ type: "object", patternProperties: { "^(a+)+$": { type: "string" } } });
  expect(await attack(schema, json({ [`${"a".repeat(50_000)}!`]: 1 }))).toBe("valid");
});

test("look-around and back-references are refused from outside and allowed in code", options, async () => {
  for (const pattern of ["^(?=a)a$", "^(a)\\1$", "^(?<!b)a$"]) {
    const schema = json({ type: "object", properties: { s: { type: "string", pattern } } });
    expect(await attack(schema)).toContain("linear time");
    expect(await attack(schema, "{}", true)).toBe("valid");
  }
});

test.for([
  ["to itself", { $ref: "#" }],
  [
    "through a definition",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  ],
  ["through allOf", { allOf: [{ anyOf: [{ $ref: "#" }, { type: "object" }] }] }],
  ["through not", { not: { $ref: "#" } }],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  ["through if", { if: { type: "object" }, then: { $ref: "#" } }],
])("a reference that consumes nothing is refused: %s", options, async ([, schema]) => {
  expect(await attack(json(schema))).toContain("never ends");
});

test("branching that multiplies through references is refused", options, async () => {
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const $defs: Record<string, unknown> = { d40: { type: "object" } };
    for (let i = 0; i < 40; i++) $defs[`d${i}`] = { [keyword]: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) };
    expect(await attack(json({ $ref: "#/$defs/d0", $defs }))).toContain("subschemas to one value");
  }
});

test("branching that multiplies with the depth of the value ends", options, async () => {
  const next = { properties: { a: { $ref: "#" } } };
  const deep = `${'{"a":'.repeat(60)}{"a":1}${"}".repeat(60)}`;
  expect(await attack(json({ type: "object", allOf: [next, next, next] }), deep)).toBe("invalid");
  expect(await attack(json({ type: "object", anyOf: [next, next, next] }), deep)).toBe("invalid");
  const $defs: Record<string, unknown> = { d40: { type: "string" } };
  for (let i = 0; i < 40; i++) {
    const step = { properties: { a: { $ref: `#/$defs/d${i + 1}` } } };
    $defs[`d${i}`] = {
      type: "object",
      oneOf: [{ ...step, required: ["b"] }, { ...step, required: ["c"] }, step],
    };
  }
  expect(await attack(json({ $ref: "#/$defs/d0", $defs }), deep)).toBe("invalid");
});

test("a reference out of the schema is refused, never fetched", options, async () => {
  for (const $ref of [
    "https://example.com/schema.json",
    "file:///etc/passwd",
    "#/$defs/missing",
    "other#/a",
  ]) {
    expect(await attack(json({ properties: { a: { $ref } } }))).toContain("never fetched");
  }
});

test("10,000 properties and 10,000 required ones are checked", options, async () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `property${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "integer", minimum: 0 }]));
  const full = json(Object.fromEntries(names.map((name) => [name, 1])));
  const schema = json({ type: "object", properties, required: names, additionalProperties: false });
  expect(await attack(schema, full)).toBe("valid");
  expect(await attack(schema, full.replaceAll(":1", ':"1"'))).toBe("coerced");
  expect(await attack(schema)).toBe("invalid");
});

test("very deep schemas are refused", options, async () => {
  for (const [open, close] of [
    ['{"items":', "}"],
    ['{"properties":{"a":', "}}"],
    ['{"allOf":[', "]}"],
    ['{"not":', "}"],
  ] as const) {
    expect(await attack(`${open.repeat(50_000)}{}${close.repeat(50_000)}`)).toContain("nested deeper");
  }
});

test("a long chain of references is refused", options, async () => {
  const $defs: Record<string, unknown> = { d50000: { type: "object" } };
  for (let i = 0; i < 50_000; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
  expect(await attack(json({ $ref: "#/$defs/d0", $defs }))).toMatch(
    /chains more than|subschemas to one value/,
  );
});

test("a schema without end is refused", options, async () => {
  const anyOf = Array.from({ length: 200_000 }, (_, i) => ({ const: i }));
  expect(await attack(json({ anyOf }))).toContain("larger than");
});

test("a deep value of a recursive schema ends in an issue", options, async () => {
  const schema = json({ type: "object", properties: { a: { $ref: "#" } }, additionalProperties: false });
  expect(await attack(schema, `${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`)).toBe("invalid");
  expect(await attack(schema, `${'{"a":'.repeat(200)}{}${"}".repeat(200)}`)).toBe("valid");
});

test("uniqueItems over many objects is linear", options, async () => {
  const items = Array.from({ length: 50_000 }, (_, i) => ({ name: "x".repeat(20), i }));
  const schema = json({ type: "object", properties: { a: { type: "array", uniqueItems: true } } });
  expect(await attack(schema, json({ a: items }))).toBe("valid");
  expect(await attack(schema, json({ a: [...items, { i: 0, name: "x".repeat(20) }] }))).toBe("invalid");
});

test("a huge enum is searched fast", options, async () => {
  const choices = Array.from({ length: 50_000 }, (_, i) => ({ id: `choice-${i}` }));
  const schema = json({ type: "object", properties: { a: { type: "array", items: { enum: choices } } } });
  expect(await attack(schema, json({ a: choices }))).toBe("valid");
  expect(await attack(schema, json({ a: [...choices, { id: "other" }] }))).toBe("invalid");
});

test("many values that are no choice of a huge enum end", options, async () => {
  const choices = Array.from({ length: 20_000 }, (_, i) => `choice-${i}`);
  const schema = json({ type: "object", properties: { a: { type: "array", items: { enum: choices } } } });
  expect(await attack(schema, json({ a: choices.map((choice) => `no ${choice}`) }))).toBe("invalid");
  expect(await attack(schema, json({ a: ["CHOICE-7", "choice-8"] }))).toBe("coerced");
});

test("many patterns over many properties end", options, async () => {
  const patterns = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`^x${i}(a|b)*$`, { type: "string" }]),
  );
  const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`y${i}`, "z"]));
  const outcome = await attack(json({ type: "object", patternProperties: patterns }), json(value));
  expect(["valid", "invalid"]).toContain(outcome);
});

test("many patterns over one long text end", options, async () => {
  const allOf = Array.from({ length: 300 }, (_, i) => ({ pattern: `(a?){${100 + i}}a{${100 + i}}b` }));
  const schema = json({ type: "object", properties: { s: { type: "string", allOf } } });
  expect(await attack(schema, json({ s: "a".repeat(50_000) }))).toBe("invalid");
});

test("many patterns with bounded repeats over one long text end", options, async () => {
  const allOf = Array.from({ length: 200 }, (_, i) => ({ pattern: `a{0,3}a{0,3}a{0,3}a{0,3}b${i}` }));
  const schema = json({ type: "object", properties: { s: { type: "string", allOf } } });
  for (const length of [500, 20_000, 200_000])
    expect(await attack(schema, json({ s: "a".repeat(length) }))).toBe("invalid");
  const not = allOf.map((each) => ({ not: each }));
  const forbidding = json({ type: "object", properties: { s: { type: "string", allOf: not } } });
  expect(await attack(forbidding, json({ s: "a".repeat(10) }))).toBe("valid");
  expect(await attack(forbidding, json({ s: "a".repeat(20_000) }))).toBe("invalid");
});

test("a format that backtracks ends", options, async () => {
  const schema = json({ type: "object", properties: { s: { format: "url" } } });
  expect(await attack(schema, json({ s: `http://a${"::".repeat(100_000)} ` }))).toBe("invalid");
  expect(await attack(schema, json({ s: "https://example.org/a?b=c" }))).toBe("valid");
});

test("uniqueItems at every level of a deep value ends", options, async () => {
  const schema = json({
    properties: { a: { $ref: "#/$defs/list" } },
    $defs: { list: { uniqueItems: true, items: { $ref: "#/$defs/list" } } },
  });
  const deep = `${"[[1,2],".repeat(300)}["${"x".repeat(200_000)}"]${"]".repeat(300)}`;
  expect(["valid", "invalid"]).toContain(await attack(schema, `{"a":${deep}}`));
});

test("very many required names are checked", options, async () => {
  const names = Array.from({ length: 50_000 }, (_, i) => `n${i}`);
  expect(await attack(json({ type: "object", required: names }))).toBe("invalid");
  expect(await attack(json({ type: "object", dependentRequired: { a: names } }), '{"a":1}')).toBe("invalid");
});

test("a value that fits no branch of deeply nested unions ends", options, async () => {
  const leaf = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const branch = (kind: string) => ({
    type: "object",
    properties: {
      kind: { enum: [kind, "any"] },
      left: { $ref: "#/$defs/node" },
      right: { $ref: "#/$defs/node" },
    },
    required: ["kind", "left", "right"],
  });
  const schema = json({
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    $defs: { node: { anyOf: [branch("a"), branch("b"), branch("c"), leaf] } },
  });
  let tree: unknown = { n: "x" };
  for (let i = 0; i < 12; i++)
    tree = { kind: "ANY", left: tree, right: { kind: "any", left: { n: "1" }, right: tree } };
  expect(await attack(schema, json({ root: tree }))).toBe("invalid");
});

test("names of a schema cannot become code", options, async () => {
  const evil = `"];globalThis.pwned=1;//\${globalThis.pwned=1}\`'\\\u2028\n`;
  const schema = json({
    type: "object",
    title: evil,
    [evil]: evil,
    properties: {
      [evil]: { type: "string", enum: [evil], format: evil },
      "constructor.prototype": { const: evil },
    },
    required: [evil],
    dependentRequired: { [evil]: [evil] },
    patternProperties: { '^"\\];': { minLength: 1 } },
    propertyNames: { maxLength: 1_000 },
    $defs: { [evil]: {} },
    $comment: evil,
  });
  expect(await attack(schema, json({ [evil]: evil }))).toBe("valid");
  expect(await attack(schema)).toBe("invalid");
});

test("malformed keywords from outside have no effect", options, async () => {
  const schema = json({
    type: "object",
    required: true,
    properties: {
      a: { type: "any", minimum: "1;process.exit()", enum: "x", pattern: 3, required: "a", items: 7 },
    },
    patternProperties: [],
    allOf: {},
    maxProperties: -1,
  });
  expect(await attack(schema, json({ a: 1 }))).toBe("valid");
  expect(await attack(schema, json([]))).toBe("invalid");
});
