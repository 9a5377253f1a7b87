import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { textOf } from "../call/content.ts";
import type { ArgumentIssue } from "../failure/failure.ts";
import { tool } from "../tool/define-tool.ts";
import type { AnyTool, ToolSpec } from "../tool/tool.ts";
import { Executor } from "./executor.ts";
import type { ExecutorOptions } from "./options.ts";

const issuesOf = (failure: { details?: unknown } | undefined) =>
  (failure?.details as { arguments?: ArgumentIssue[] } | undefined)?.arguments ?? [];

function setUp(spec: Partial<ToolSpec<unknown, unknown>>, options: ExecutorOptions = {}) {
  const ran: unknown[] = [];
  const refund = tool({
    name: "refund_order",
    description: "Refund an order",
    input: z.object({ order: z.string(), amount: z.number() }),
    safety: { sideEffects: "external" },
    execute: (args: unknown) => {
      ran.push(args);
      return "done";
    },
    ...spec,
  } as ToolSpec<unknown, unknown>) as AnyTool;
  const executor = new Executor({ ...options, tools: [refund, ...((options.tools as AnyTool[]) ?? [])] });
  const call = (args: unknown, name = "refund_order") => executor.call({ id: "c", name, arguments: args });
  return { call, ran };
}

const READS = { safety: { sideEffects: "read" } } as const;

/** The same tool in every notation, with an object and a list of objects inside. */
const SCHEMAS: [string, unknown][] = [
  [
    "zod",
    z.object({
      order: z.string(),
      to: z.object({ city: z.string() }).optional(),
      lines: z.array(z.object({ sku: z.string() })).optional(),
    }),
  ],
  [
    "valibot",
    toStandardJsonSchema(
      v.object({
        order: v.string(),
        to: v.optional(v.object({ city: v.string() })),
        lines: v.optional(v.array(v.object({ sku: v.string() }))),
      }),
    ),
  ],
  [
    "arktype",
    type({ order: "string", "to?": { city: "string" }, "lines?": type({ sku: "string" }).array() }),
  ],
  [
    "TypeBox",
    Type.Object({
      order: Type.String(),
      to: Type.Optional(Type.Object({ city: Type.String() })),
      lines: Type.Optional(Type.Array(Type.Object({ sku: Type.String() }))),
    }),
  ],
  [
    "JSON Schema",
    {
      type: "object",
      properties: {
        order: { type: "string" },
        to: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        lines: { type: "array", items: { $ref: "#/$defs/line" } },
      },
      required: ["order"],
      $defs: { line: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] } },
    },
  ],
];

const PLACES: [string, Record<string, unknown>, Record<string, unknown>, string][] = [
  ["at the top", { order: "A", dry_run: true }, { order: "A" }, "/dry_run"],
  [
    "in an object",
    { order: "A", to: { city: "Oslo", dry_run: true } },
    { order: "A", to: { city: "Oslo" } },
    "/to/dry_run",
  ],
  [
    "in a list",
    { order: "A", lines: [{ sku: "1" }, { sku: "2", dry_run: true }] },
    { order: "A", lines: [{ sku: "1" }, { sku: "2" }] },
    "/lines/1/dry_run",
  ],
];

describe.each(SCHEMAS)("an argument that a schema of %s does not describe", (_library, input) => {
  test.each(PLACES)("%s stops a tool with side effects and is named", async (_place, args, _rest, path) => {
    const { call, ran } = setUp({ input });
    for (const given of [args, JSON.stringify(args)]) {
      const { failure, content } = await call(given);
      expect(failure?.kind).toBe("validation");
      expect(issuesOf(failure).map((issue) => issue.path)).toEqual([path]);
      expect(textOf(content)).toContain("dry_run: unknown property");
    }
    expect(ran).toEqual([]);
  });

  test.each(PLACES)(
    "%s is left out for a tool that reads, and the model is told",
    async (_place, args, rest, path) => {
      const { call, ran } = setUp({ input, ...READS });
      for (const given of [args, JSON.stringify(args)]) {
        const { content, decoded } = await call(given);
        expect(textOf(content)).toContain("dry_run: unknown property");
        expect(decoded).toEqual({
          mode: "repaired",
          degree: "lossy",
          repairs: [{ kind: "unknown-key", degree: "lossy", path, before: "dry_run", after: "" }],
        });
      }
      expect(ran).toEqual([rest, rest]);
    },
  );

  test("does not matter to a tool that ignores such arguments", async () => {
    const { call, ran } = setUp({ input, unknownArguments: "ignore" });
    const { content, decoded } = await call({ order: "A", dry_run: true });
    expect(textOf(content)).toBe("done");
    expect(decoded.degree).toBe("exact");
    expect(ran).toHaveLength(1);
  });

  test("is looked for in JSON that a string holds", async () => {
    const { call, ran } = setUp({ input });
    const { failure } = await call({ order: "A", to: '{"city": "Oslo", "dry_run": true}' });
    expect(issuesOf(failure).map((issue) => issue.path)).toEqual(["/to/dry_run"]);
    expect(ran).toEqual([]);
  });

  test("is none where all are described", async () => {
    const { call, ran } = setUp({ input });
    const args = { order: "A", to: { city: "Oslo" }, lines: [{ sku: "1" }] };
    const { decoded } = await call(args);
    expect(decoded).toEqual({ mode: "strict", degree: "exact", repairs: [] });
    expect(ran).toEqual([args]);
  });
});

describe("a schema that describes other properties takes them", () => {
  test.each<[string, unknown]>([
    ["zod's looseObject", z.looseObject({ order: z.string() })],
    ["zod's catchall", z.object({ order: z.string() }).catchall(z.boolean())],
    ["zod's record", z.record(z.string(), z.union([z.string(), z.boolean()]))],
    ["valibot's objectWithRest", toStandardJsonSchema(v.objectWithRest({ order: v.string() }, v.boolean()))],
    ["arktype's index", type({ order: "string", "[string]": "unknown" })],
    ["TypeBox's additionalProperties", Type.Object({ order: Type.String() }, { additionalProperties: true })],
    ["a pattern", { type: "object", properties: { order: {} }, patternProperties: { "^dry_": {} } }],
    ["an object of anything", { type: "object" }],
    [
      "a condition",
      {
        type: "object",
        properties: { order: {} },
        if: { required: ["order"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { dry_run: {} } },
      },
    ],
  ])("%s", async (_name, input) => {
    const { call, ran } = setUp({ input });
    expect((await call({ order: "A", dry_run: true })).decoded.degree).toBe("exact");
    expect(ran).toEqual([{ order: "A", dry_run: true }]);
  });
});

describe("a branch of a union that was not meant describes nothing", () => {
  const branches = [
    z.object({ kind: z.literal("now"), order: z.string() }),
    z.object({ kind: z.literal("test"), order: z.string(), dry_run: z.boolean() }),
  ] as const;

  test.each<[string, unknown]>([
    ["zod's discriminated union", z.object({ how: z.discriminatedUnion("kind", branches) })],
    ["zod's union", z.object({ how: z.union(branches) })],
  ])("%s", async (_name, input) => {
    const { call, ran } = setUp({ input });
    const { failure } = await call({ how: { kind: "now", order: "A", dry_run: true } });
    expect(issuesOf(failure).map((issue) => issue.path)).toEqual(["/how/dry_run"]);
    expect(ran).toEqual([]);
    await call({ how: { kind: "test", order: "A", dry_run: true } });
    expect(ran).toEqual([{ how: { kind: "test", order: "A", dry_run: true } }]);
  });

  test("items that only unevaluatedItems describes", async () => {
    const order = { type: "object", properties: { order: { type: "string" } } };
    const list = { type: "array", prefixItems: [{ type: "number" }], unevaluatedItems: order };
    const { call, ran } = setUp({ input: { type: "object", properties: { list } } });
    const { failure } = await call({ list: [1, { order: "A", dry_run: true }] });
    expect(issuesOf(failure).map((issue) => issue.path)).toEqual(["/list/1/dry_run"]);
    expect(ran).toEqual([]);
    await call({ list: [1, { order: "A" }] });
    expect(ran).toEqual([{ list: [1, { order: "A" }] }]);
  });

  test("zod's union that keeps the first of two branches that fit", async () => {
    const input = z.object({
      how: z.union([z.object({ order: z.string() }), z.object({ order: z.string(), dry_run: z.boolean() })]),
    });
    const { call, ran } = setUp({ input });
    const { failure } = await call({ how: { order: "A", dry_run: true } });
    expect(issuesOf(failure).map((issue) => issue.path)).toEqual(["/how/dry_run"]);
    expect(ran).toEqual([]);
  });
});

test("a tool without parameters does not run on one", async () => {
  const { call, ran } = setUp({ input: z.object({}) });
  expect(issuesOf((await call({ dry_run: true })).failure)).toHaveLength(1);
  expect((await call({})).isError).toBe(false);
  expect(ran).toEqual([{}]);
});

test("a parameter that a transform renames is known", async () => {
  const input = z.object({ order: z.string() }).transform(({ order }) => ({ id: order }));
  const { call, ran } = setUp({ input });
  expect((await call({ order: "A" })).isError).toBe(false);
  expect(issuesOf((await call({ order: "A", dry_run: true })).failure)).toHaveLength(1);
  expect(ran).toEqual([{ id: "A" }]);
});

test("a key that prepare renames is known", async () => {
  const prepare = (raw: unknown) => ({ order: (raw as { id: string }).id, amount: 1 });
  const { call, ran } = setUp({ prepare });
  expect((await call({ id: "A" })).isError).toBe(false);
  expect(ran).toEqual([{ order: "A", amount: 1 }]);
});

describe("other ways to a tool keep the rule", () => {
  const args = { order: "A", amount: 1 };

  test("a nested call with an unknown argument does not run", async () => {
    const outer = tool({
      name: "settle",
      description: "Settle",
      input: { type: "object" },
      safety: { sideEffects: "external" },
      execute: async (_args, { call }) =>
        (await call("refund_order", { ...args, dry_run: true })).failure?.message,
    });
    const { call, ran } = setUp({}, { tools: [outer] });
    expect((await call({}, "settle")).value).toContain("1 argument is wrong");
    expect(ran).toEqual([]);
  });

  test("a reading tool that lost an argument makes no call with side effects", async () => {
    const outer = tool({
      name: "plan",
      description: "Plan",
      input: z.object({}),
      safety: { sideEffects: "read" },
      execute: async (_args, { call }) => (await call("refund_order", args)).failure?.message,
    });
    const { call, ran } = setUp({}, { tools: [outer] });
    expect((await call({ dry_run: true }, "plan")).value).toContain("refund_order did not run");
    expect(ran).toEqual([]);
    await call({}, "plan");
    expect(ran).toEqual([args]);
  });

  test.each<[string, unknown]>(SCHEMAS)(
    "a hook that adds one stops the call, with %s",
    async (_library, input) => {
      const hooks = { beforeCall: () => ({ args: { order: "A", dry_run: true } }) };
      const { call, ran } = setUp({ input }, { hooks });
      expect(issuesOf((await call({ order: "A" })).failure).map((issue) => issue.path)).toEqual(["/dry_run"]);
      expect(ran).toEqual([]);
    },
  );

  test("an approver who adds one is told, and the call does not run", async () => {
    const told: unknown[] = [];
    const edited = { ...args, dry_run: true };
    const { call, ran } = setUp(
      { approval: true },
      {
        approve: async (request) => {
          told.push(...(await request.checkEdit(edited)).map((issue) => issue.path));
          return { approved: true, args: edited };
        },
      },
    );
    expect((await call(args)).isError).toBe(true);
    expect(told).toEqual(["/dry_run"]);
    expect(ran).toEqual([]);
  });

  test("an edit may change a property that the schema added", async () => {
    const input = z.object({ order: z.string() }).transform((each) => ({ ...each, fee: 1 }));
    const hooks = { beforeCall: () => ({ args: { order: "A", fee: 5 } }) };
    const { call, ran } = setUp({ input }, { hooks });
    expect((await call({ order: "A" })).isError).toBe(false);
    expect(ran).toEqual([{ order: "A", fee: 5 }]);
  });
});

test("arguments with very many unknown properties are refused in linear time", async () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index]));
  const { call, ran } = setUp({ input: { type: "object", properties: { order: {} } } });
  expect(issuesOf((await call(many)).failure).length).toBeGreaterThan(1);
  expect(
    (await setUp({ input: { type: "object", properties: { order: {} } }, ...READS }).call(many)).isError,
  ).toBe(false);
  expect(ran).toEqual([]);
});

test("a value that a transform makes under the name of an unknown argument reaches a tool that reads", async () => {
  let ran: unknown;
  const input = z.object({ order: z.string() }).transform((given) => ({ ...given, dry_run: false }));
  const find = tool({
    name: "find_order",
    description: "Find an order",
    input,
    safety: { sideEffects: "read" },
    execute: (args) => {
      ran = args;
    },
  });
  const call = { id: "c", name: "find_order", arguments: { order: "A7", dry_run: true } };
  await new Executor({ tools: [find] }).call(call);
  expect(ran).toEqual({ order: "A7", dry_run: false });
});
