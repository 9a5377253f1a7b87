// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Executor, type PolicyRule, policyGuard, tool } from "../../index.ts";

/** What a tool of an outside server looks like: it takes whatever it is given. */
const open = { type: "object" } as const;
const pay = tool({ name: "pay", description: "Pay", input: open, execute: () => "paid" });

async function verdictOn(
  args: unknown,
  condition: Record<string, unknown>,
  verdict: PolicyRule["verdict"],
  by = pay,
) {
  const executor = new Executor({
    tools: [by],
    guards: [
      policyGuard({ profile: "strict", rules: [{ when: { args: condition }, verdict }, { verdict: "ask" }] }),
    ],
    approve: () => ({ approved: false, reason: "asked" }),
  });
  const { failure } = await executor.call({ id: "c", name: by.name, arguments: args });
  return failure === undefined ? "allow" : failure.code === "TOOL_APPROVAL_REJECTED" ? "ask" : "deny";
}

const small = { properties: { amount: { maximum: 50 } } };

describe("the bound of a permission", () => {
  test.each<[title: string, condition: Record<string, unknown>, within: unknown, ...beyond: unknown[]]>([
    [
      "a property",
      small,
      { amount: 20 },
      {},
      { amount: "5000" },
      { amount: [5000] },
      { amount: null },
      { amount: 80 },
    ],
    [
      "deeper",
      { properties: { payment: small } },
      { payment: { amount: 20 } },
      { payment: {} },
      { payment: [] },
      { payment: "5000" },
      { payment: { amount: { value: 5000 } } },
    ],
    ["allOf", { allOf: [small] }, { amount: 20 }, {}, { amount: "5000" }],
    ["anyOf", { anyOf: [small, { properties: { gift: { const: true } } }] }, { gift: true }, {}, { gift: 1 }],
    [
      "oneOf",
      { oneOf: [small, { properties: { gift: { const: true } }, required: ["gift"] }] },
      { amount: 20 },
      {},
      { amount: 20, gift: true },
    ],
    ["$ref", { $ref: "#/$defs/small", $defs: { small } }, { amount: 20 }, {}, { amount: "5000" }],
    [
      "a reference to itself",
      { properties: { amount: { maximum: 50 }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } } },
      { amount: 20, next: { amount: 30, next: null } },
      { amount: 20, next: {} },
      { amount: 20, next: { amount: 5000, next: null } },
    ],
    [
      "patternProperties",
      { patternProperties: { "^amount": { maximum: 50 } } },
      { amount: 20 },
      {},
      { amount_2: "5000" },
    ],
    [
      "then",
      { if: { properties: { currency: { const: "EUR" } } }, then: small },
      { currency: "EUR", amount: 20 },
      {},
      { amount: 5000 },
      { currency: "EUR" },
    ],
    [
      "else",
      { if: { properties: { gift: { const: true } } }, then: { maxProperties: 1 }, else: small },
      { gift: true },
      { note: "x" },
      { gift: "no", amount: 5000 },
    ],
    [
      "a pattern",
      { properties: { to: { pattern: "@firm$" } } },
      { to: "a@firm" },
      { to: ["e@evil"] },
      { to: { e: 1 } },
    ],
    [
      "a format",
      { properties: { to: { format: "email" } } },
      { to: "a@firm.example" },
      { to: ["x"] },
      { to: 5 },
    ],
    ["not", { not: { properties: { to: { pattern: "evil" } } } }, { to: "a@firm" }, {}, { to: ["evil"] }],
    [
      "items",
      { properties: { sums: { items: { maximum: 50 } } } },
      { sums: [1, 2] },
      { sums: 5000 },
      { sums: ["5000"] },
    ],
    [
      "maxContains",
      { properties: { sums: { contains: { minimum: 50 }, minContains: 0, maxContains: 1 } } },
      { sums: [60, 2] },
      { sums: [60, "5000"] },
    ],
    [
      "prefixItems",
      { properties: { to: { prefixItems: [{ const: "bob" }, { const: "ann" }] } } },
      { to: ["bob", "ann"] },
      { to: [] },
      { to: ["bob"] },
      { to: ["bob", "eve"] },
    ],
    [
      "dependentSchemas",
      { dependentSchemas: { currency: small } },
      { currency: "EUR", amount: 20 },
      {},
      { amount: 5000 },
      { currency: "EUR", amount: 5000 },
    ],
    ["dependentRequired", { dependentRequired: { sum: ["by"] } }, { sum: 5, by: "ann" }, {}, { sum: 5 }],
  ])("holds for %s", async (_title, condition, within, ...beyond) => {
    expect(await verdictOn(within, condition, "allow")).toBe("allow");
    for (const args of beyond)
      expect([args, await verdictOn(args, condition, "allow")]).toEqual([args, "ask"]);
  });

  test("what a condition says may be left out may be, and of more than one type", async () => {
    const optional = { properties: { payment: { ...small, required: [] } } };
    expect(await verdictOn({ payment: {} }, optional, "allow")).toBe("allow");
    const short = { properties: { to: { prefixItems: [{ const: "bob" }], minItems: 0 } } };
    expect(await verdictOn({ to: [] }, short, "allow")).toBe("allow");
    const conditional = { dependentSchemas: { currency: small }, required: [] };
    expect(await verdictOn({}, conditional, "allow")).toBe("allow");
    const either = { properties: { amount: { type: ["number", "string"], maximum: 50 } } };
    expect(await verdictOn({ amount: "5000" }, either, "allow")).toBe("allow");
  });
});

test.each<[title: string, condition: Record<string, unknown>, args: unknown]>([
  ["another type", { properties: { amount: { minimum: 100 } } }, { amount: "5000" }],
  ["left out below not", { not: { properties: { to: { pattern: "@firm$" } } } }, {}],
  ["a list below not", { not: { properties: { to: { pattern: "@firm$" } } } }, { to: ["eve@evil"] }],
  ["left out in if", { if: { properties: { to: { pattern: "@firm$" } } }, then: false }, {}],
  [
    "left out in else",
    {
      if: { properties: { to: { pattern: "@firm$" } } },
      then: false,
      else: { minProperties: 0, type: "object" },
    },
    {},
  ],
])(
  "a prohibition holds where its condition does not speak of the value: %s",
  async (_title, condition, args) => {
    expect(await verdictOn(args, condition, "deny")).toBe("deny");
  },
);

test("a prohibition leaves what it does not mean", async () => {
  const outside = { not: { properties: { to: { pattern: "@firm$" } } } };
  expect(await verdictOn({ to: "a@firm" }, outside, "deny")).toBe("ask");
});

test("a permission is held against what a schema library made of the arguments", async () => {
  const input = z.object({
    to: z.array(z.string()).transform((all) => new Set(all)),
    sum: z.number().transform((sum) => (sum === 0 ? Number.POSITIVE_INFINITY : BigInt(sum))),
  });
  const send = tool({ name: "send", description: "Send", input, execute: () => "sent" });
  const within = { properties: { to: { items: { pattern: "@firm$" } }, sum: { maximum: 50 } } };
  const on = (to: string[], sum: number, verdict: PolicyRule["verdict"] = "allow") =>
    verdictOn({ to, sum }, within, verdict, send as never);
  expect([await on(["a@firm"], 20), await on(["a@firm", "e@evil"], 20)]).toEqual(["allow", "ask"]);
  expect([await on(["a@firm"], 80), await on(["a@firm"], 0)]).toEqual(["ask", "ask"]);
  expect([await on(["a@firm"], 20, "deny"), await on(["e@evil"], 0, "deny")]).toEqual(["deny", "deny"]);
});

test.each<[problem: RegExp, condition: Record<string, unknown>]>([
  [
    /\/properties\/to\/format is "emali".* Did you mean "email"\?/,
    { properties: { to: { format: "emali" } } },
  ],
  [/format is 5/, { properties: { to: { format: 5 } } }],
  [/format is "password"/, { properties: { to: { format: "password" } } }],
  [/minimum must be a number, not true/, { properties: { sum: { minimum: true } } }],
  [/exclusiveMaximum must be a number/, { properties: { sum: { exclusiveMaximum: true } } }],
  [/required must be a list of property names/, { required: true }],
  [/uniqueItems must be true or false/, { properties: { to: { uniqueItems: "true" } } }],
  [/then means nothing without if/, { then: small }],
  [/else means nothing without if/, { ...small, else: small }],
  [/if means nothing without then or else/, { if: small }],
  [/minContains means nothing without contains/, { properties: { to: { minContains: 2 } } }],
  [/const has no value/, { properties: { to: { const: undefined } } }],
  [/contentEncoding is no keyword/, { properties: { to: { contentEncoding: "base64" } } }],
  [/the condition says nothing/, {}],
  [/the condition says nothing/, { description: "all", properties: {}, required: [], minProperties: 0 }],
  [/the condition says nothing/, { additionalProperties: true }],
  [/the condition says nothing/, { if: small, then: {} }],
  [/the condition says nothing/, { not: false }],
  [/the condition says nothing/, { type: "object" }],
  [/the condition says nothing/, { type: ["object", "null"], additionalProperties: {} }],
  [/the condition says nothing/, { properties: { a: {} } }],
  [
    /the condition says nothing/,
    { properties: { a: { patternProperties: { b: { prefixItems: [true] } } } } },
  ],
  [/\/anyOf\/1 says nothing/, { anyOf: [small, { type: "object" }] }],
  [/\/anyOf\/1 says nothing/, { anyOf: [small, {}] }],
  [/\/not says nothing/, { not: {} }],
  [/\/properties\/a\/allOf\/0 says nothing/, { properties: { a: { allOf: [true] } } }],
  [
    /\(\?=a\).* cannot be run in linear time.*not: \{ pattern \}/,
    { properties: { to: { pattern: "(?=a)(a+)+$" } } },
  ],
  [/cannot be run in linear time/, { patternProperties: { "(a)\\1": { maximum: 5 } } }],
])("a condition that would match everything, or take for ever, is refused: %s", (problem, args) => {
  expect(() => policyGuard({ rules: [{ when: { args }, verdict: "deny" }] })).toThrow(problem);
});

test("a condition that says something odd is not refused", () => {
  const conditions = [
    { properties: { to: { const: [] } } },
    { properties: { to: { const: 0 } } },
    { properties: { to: { type: "object" } } },
    { type: "object", required: ["to"] },
    { not: { properties: { to: {} } } },
    { not: { required: ["to"] } },
  ];
  for (const args of conditions) policyGuard({ rules: [{ when: { args }, verdict: "deny" }] });
  policyGuard({ rules: [{ when: { args: { properties: { to: {} } } }, verdict: "allow" }] });
});
