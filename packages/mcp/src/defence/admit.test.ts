import { setImmediate } from "node:timers/promises";
import { defineTool } from "@toolrig/core/kit";
import { describe, expect, test } from "vitest";
import { type AdmitOptions, type AdmittedTool, admit } from "./admit.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { accept } from "./pins.ts";

const input = { type: "object", properties: { q: { type: "string" } } };

function define({ name, description, inputSchema, outputSchema, safety }: AdmittedTool) {
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  const spec = { name, description, input: inputSchema, ...output, safety, execute: () => "done" };
  return defineTool(spec, { trusted: false });
}

function admitted(
  listed: readonly unknown[],
  options: Partial<AdmitOptions> = {},
  limits: Partial<Limits> = {},
) {
  const all = { connection: "srv", trust: "none" as const, pins: undefined, define, ...options };
  return admit(listed, { ...all, limits: limitsOf(limits) });
}

const named = (name: unknown, more: object = {}) => ({ name, description: "d", inputSchema: input, ...more });

/** Every definition refers twice to the next. */
function doubling(depth: number): object {
  const $defs: Record<string, object> = { d0: { type: "string" } };
  for (let level = 1; level <= depth; level++) {
    const next = { $ref: `#/$defs/d${level - 1}` };
    $defs[`d${level}`] = { type: "object", properties: { a: next, b: next } };
  }
  return { type: "object", properties: { a: { $ref: `#/$defs/d${depth}` } }, $defs };
}

describe("one bad tool is skipped and the others stay", () => {
  test.each<[string, unknown, RegExp]>([
    ["no object", null, /its name/],
    ["no name", named(undefined), /its name/],
    ["a name of nothing that is seen", named("\u200b\u2060"), /its name/],
    ["a name that is too long", named("x".repeat(257)), /its name/],
    ["a name twice", named("good"), /listed twice/],
    ["no schema", named("bad", { inputSchema: undefined }), /inputSchema/],
    ["arguments that are no object", named("bad", { inputSchema: { type: "string" } }), /object/],
    ["a description that is no text", named("bad", { description: { toString: 1 } }), /not text/],
    ["a schema that is too deep", named("bad", { inputSchema: nested(5_000) }), /nested more than 40/],
    ["a schema that is too large", named("bad", { inputSchema: wide(5_000) }), /larger than/],
    ["a schema that doubles by properties", named("bad", { inputSchema: doubling(20) }), /written out/],
    ["an output that doubles by properties", named("bad", { outputSchema: doubling(31) }), /written out/],
    ["annotations that are too deep", named("bad", { annotations: nested(5_000) }), /nested more than 40/],
    ["a pattern that cannot be bounded", named("bad", withPattern("^(?=(a+)+)b$")), /linear time/],
    [
      "patterns that take long to compile",
      named("bad", withPattern("(?:a?){999}b".repeat(5))),
      /expressions/,
    ],
    ["a hidden property", named("bad", { inputSchema: prop("a\u200bb") }), /invisible characters at/],
    ["a hidden value", named("bad", { inputSchema: { type: "object", default: "\u202e" } }), /invisible/],
    ["a reference to itself", named("bad", { inputSchema: { type: "object", $ref: "#" } }), /itself/],
  ])("%s", async (_, bad, reason) => {
    const { tools, skipped } = await admitted([named("good"), bad, named("other")]);
    expect(tools.map(({ name }) => name)).toEqual(["srv__good", "srv__other"]);
    expect(skipped).toEqual([{ name: expect.any(String), reason: expect.stringMatching(reason) }]);
  });
});

test("names are ASCII, short, unique, and never taken over by another", async () => {
  const own = [
    "search",
    "sеarch",
    "search docs",
    `${"long_".repeat(20)}a`,
    `${"long_".repeat(20)}b`,
    "__proto__",
  ];
  const { tools } = await admitted(own.map((name) => named(name)));
  const names = tools.map(({ name }) => name);
  expect(tools.map((tool) => tool.own)).toEqual(own);
  expect(new Set(names).size).toBe(own.length);
  for (const name of names) expect(name).toMatch(/^srv__[A-Za-z0-9_-]{1,59}$/);
  const posing = names[3]?.slice("srv__".length) ?? "";
  const again = await admitted([named(own[3]), named(posing)]);
  expect(again.tools.map(({ name }) => name)).toEqual([names[3], expect.not.stringMatching(`^${names[3]}$`)]);
});

test("hidden text is taken out of what is read, and reported", async () => {
  const description = "Adds\u202e numbers\u{e0041}\u{e0042}\x1b[2J\x1b]0;title\x07. Ünïcode 👩‍👩‍👧 stays";
  const schema = { type: "object", properties: { a: { type: "number", description: "first\u200b" } } };
  const { tools, notes } = await admitted([
    named("add", { description, title: "A\u2066dd", inputSchema: schema }),
  ]);
  expect(tools[0]).toMatchObject({ description: "Adds numbers. Ünïcode 👩‍👩‍👧 stays", title: "Add" });
  expect(JSON.stringify(tools[0]?.inputSchema)).toContain('"first"');
  expect(notes).toEqual([expect.stringMatching(/^add: \d+ invisible characters/)]);
});

test("what a server says of safety counts only if the operator says so", async () => {
  const listed = [named("look", { annotations: { readOnlyHint: true, idempotentHint: true } })];
  const [careful] = (await admitted(listed)).tools;
  const [trusted] = (await admitted(listed, { trust: "annotations" })).tools;
  expect(careful?.safety).toEqual({ sideEffects: "external", idempotent: false });
  expect(trusted?.safety).toEqual({ sideEffects: "read", idempotent: true });
});

test("what was not accepted is quarantined until it is, and only as it was shown", async () => {
  const first = await admitted([named("a"), named("b"), named("c")]);
  expect(first.quarantined).toEqual([]);
  const listed = [named("a"), named("b", { description: "evil" }), named("d")];
  const later = await admitted(listed, { pins: first.pins });
  expect(later.tools.map(({ own }) => own)).toEqual(["a"]);
  expect(later.quarantined.map(({ name, reason }) => `${name} ${reason}`)).toEqual(["b changed", "d new"]);
  expect(later.gone).toEqual(["c"]);

  const { record, accepted } = accept({ pins: first.pins, quarantined: later.quarantined }, ["b"]);
  expect(accepted).toEqual(["b"]);
  const then = await admitted(listed, { pins: record.pins });
  expect(then.tools.map(({ own }) => own)).toEqual(["a", "b"]);
  const worse = await admitted([named("b", { description: "worse" })], { pins: record.pins });
  expect(worse.quarantined.map(({ name }) => name)).toEqual(["b"]);
});

test.each(["title", "description", "inputSchema", "outputSchema", "annotations"])(
  "a change of %s alone is noticed",
  async (field) => {
    const { pins } = await admitted([named("a")]);
    const changed = {
      title: "t",
      description: "e",
      inputSchema: prop("z"),
      outputSchema: input,
      annotations: {},
    };
    const listed = [named("a", { [field]: changed[field as keyof typeof changed] })];
    expect((await admitted(listed, { pins })).quarantined).toMatchObject([{ name: "a", reason: "changed" }]);
  },
);

test("the same definition with its keys in another order is the same", async () => {
  const { pins } = await admitted([named("a")]);
  const turned = {
    inputSchema: { properties: { q: { type: "string" } }, type: "object" },
    description: "d",
    name: "a",
  };
  expect((await admitted([turned], { pins })).tools).toHaveLength(1);
});

test("20,000 tools do not hold up the process", async () => {
  const listed = Array.from({ length: 20_000 }, (_, index) =>
    named(`tool_${index}`, { description: `${index}` }),
  );
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns += 1) await setImmediate();
  })();
  const { tools, notes } = await admitted(listed);
  const all = await admitted(listed, {}, { tools: 20_000, definitions: 100_000_000 });
  over = true;
  await others;
  expect(tools).toHaveLength(1_000);
  expect(notes).toEqual(["It lists 20000 tools; only the first 1000 are looked at."]);
  expect(all.tools).toHaveLength(20_000);
  // It takes some seconds, and lets others go on every few milliseconds.
  expect(turns).toBeGreaterThan(20);
});

function nested(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
}

function wide(properties: number): object {
  const all = Array.from({ length: properties }, (_, index) => [`property_${index}`, { type: "string" }]);
  return { type: "object", properties: Object.fromEntries(all) };
}

function prop(name: string): object {
  return { type: "object", properties: { [name]: { type: "string" } } };
}

function withPattern(pattern: string): object {
  return { inputSchema: { type: "object", properties: { s: { type: "string", pattern } } } };
}
