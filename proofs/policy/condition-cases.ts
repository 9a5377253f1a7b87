// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema.
/** Conditions on arguments: where nobody can say, where the bound value is elsewhere, and where they would say nothing. */
import type { PolicyRule } from "@toolrig/core";
import type { Case, Outcome } from "./case.ts";

type Condition = NonNullable<NonNullable<PolicyRule["when"]>["args"]>;

const on = (
  title: string,
  verdict: PolicyRule["verdict"],
  condition: Condition,
  args: Record<string, unknown>,
  want: Outcome,
): Case => ({
  title,
  policy: {
    rules: [
      { name: "the rule", when: { args: condition }, verdict },
      { name: "otherwise", verdict: "ask" },
    ],
  },
  call: { name: "post_json", args },
  want,
});

const padded = `${" ".repeat(3_000_000)}rm -rf /`;
const command = (pattern: string): Condition => ({ properties: { command: { pattern } } });
/** As in the attack that showed it: each was beyond its limit from so many characters on. */
const deletes = ["rm\\s{1,300}-[a-z]{0,200}rf", "(?:password|secret|rm)[^\\n]{0,200}-", "rm\\s+-rf"];

const doubts: Case[] = [
  ...deletes.map((pattern) =>
    on(
      `spaces before rm -rf do not get by ${pattern}`,
      "deny",
      command(pattern),
      { command: padded },
      "deny",
    ),
  ),
  on(
    "a permission does not hold for a text too long to read",
    "allow",
    command("(rm|dd)\\s+-rf"),
    { command: padded },
    "ask",
  ),
  on(
    "nor for one that may hold what it excludes",
    "allow",
    { properties: { command: { not: { pattern: "rm\\s+(-rf|-fr)" } } } },
    { command: padded },
    "ask",
  ),
  on(
    "what is in doubt does not matter where the rest says no",
    "deny",
    { properties: { command: { pattern: "(rm|dd)\\s+-rf" }, host: { const: "production" } } },
    { command: padded, host: "laptop" },
    "ask",
  ),
  on(
    "nor where the rest says yes",
    "allow",
    { anyOf: [command("(rm|dd)\\s+-rf"), { properties: { dry: { const: true } } }] },
    { command: padded, dry: true },
    "allow",
  ),
  on(
    "a list too long to look through is not free of anything",
    "deny",
    { properties: { to: { contains: { const: "eve" } } } },
    { to: [...Array.from({ length: 1_200_000 }, () => "bob"), "eve"] },
    "deny",
  ),
];

const small: Condition = { properties: { sum: { maximum: 50 } } };
const bounds: [
  shape: string,
  condition: Condition,
  within: Record<string, unknown>,
  ...beyond: Record<string, unknown>[],
][] = [
  [
    "by prefixItems",
    { properties: { to: { prefixItems: [{ const: "bob" }] } } },
    { to: ["bob"] },
    { to: [] },
  ],
  ["by dependentSchemas", { dependentSchemas: { gift: small } }, { gift: true, sum: 20 }, { sum: 5_000 }],
  [
    "deeper",
    { properties: { payment: small } },
    { payment: { sum: 20 } },
    { payment: {} },
    { payment: "5000" },
  ],
  ["in allOf", { allOf: [small] }, { sum: 20 }, {}, { sum: "5000" }],
  [
    "in anyOf",
    { anyOf: [small, { properties: { gift: { const: true } } }] },
    { sum: 20 },
    {},
    { gift: "5000" },
  ],
  ["in oneOf", { oneOf: [small, { required: ["gift"], type: "object" }] }, { sum: 20 }, {}],
  ["behind $ref", { $ref: "#/$defs/small", $defs: { small } }, { sum: 20 }, {}, { sum: [5000] }],
  [
    "by a pattern of names",
    { patternProperties: { "^sum": { maximum: 50 } } },
    { sum: 20 },
    {},
    { sum_2: "5000" },
  ],
  [
    "in then",
    { if: { properties: { to: { const: "eve" } } }, then: small },
    { to: "eve", sum: 20 },
    {},
    { to: "eve" },
  ],
  [
    "for a number written as text or list",
    small,
    { sum: 20 },
    { sum: "5000" },
    { sum: [5000] },
    { sum: { is: 5000 } },
  ],
  [
    "for a text in a list",
    { properties: { to: { pattern: "@firm$" } } },
    { to: "a@firm" },
    { to: ["eve@evil"] },
  ],
  [
    "below not",
    { not: { properties: { to: { pattern: "evil" } } } },
    { to: "a@firm" },
    {},
    { to: ["eve@evil"] },
  ],
];

const permissions = bounds.flatMap(([shape, condition, within, ...beyond]) => [
  on(`a bound ${shape}: within`, "allow", condition, within, "allow"),
  ...beyond.map((args) =>
    on(`a bound ${shape}: not ${JSON.stringify(args)}`, "allow", condition, args, "ask"),
  ),
]);

const mistakes: [what: string, condition: Condition][] = [
  ["a misspelt format", { properties: { to: { format: "emali" } } }],
  ["a format that is no text", { properties: { to: { format: 5 } } }],
  ["minimum: true", { properties: { sum: { minimum: true } } }],
  ["exclusiveMaximum: true alone", { properties: { sum: { exclusiveMaximum: true } } }],
  ["required: true", { required: true }],
  ['uniqueItems: "true"', { properties: { to: { uniqueItems: "true" } } }],
  ["then without if", { then: small }],
  ["if without then", { if: small }],
  ["minContains without contains", { properties: { to: { minContains: 2 } } }],
  ["a const without value", { properties: { to: { const: undefined } } }],
  ["an empty condition", {}],
  ["not: false", { not: false }],
  ["that the arguments are an object", { type: "object" }],
  ["a property of which nothing is said", { properties: { to: {} } }],
  ["a branch that says nothing", { anyOf: [small, {}] }],
  ["a pattern that can take for ever", { properties: { to: { pattern: "(?=a)(a+)+$" } } }],
];

const refused = mistakes.map(([what, condition]) =>
  on(`${what} is refused when the policy is read`, "deny", condition, {}, "refused"),
);

const large: Condition = { properties: { sum: { exclusiveMinimum: 100 } } };
const changed: Case[] = [
  {
    ...on(
      "what a guard after the policy rewrites is judged by the policy",
      "deny",
      large,
      { sum: 20 },
      "deny",
    ),
    rewrite: { sum: 5_000 },
  },
  {
    ...on("what an approver edits is judged by the policy", "deny", large, { sum: 20 }, "deny"),
    edit: { sum: 5_000 },
  },
  { ...on("and runs within it", "deny", large, { sum: 20 }, "allow"), edit: { sum: 30 } },
  {
    ...on("a hook that blocks is asked about edits, too", "ask", small, { sum: 20 }, "deny"),
    blocks: (args) => (args.sum as number) > 100,
    edit: { sum: 5_000 },
  },
];

const paths = [
  "vscode:///repo/.git/config",
  " .git/config",
  "%2egit/config",
  "../x/.git/hooks/pre-commit",
].map(
  (path): Case => ({
    title: `${JSON.stringify(path)} is protected`,
    protect: [".git/**"],
    call: { name: "write_file", args: { path } },
    want: "deny",
  }),
);

export const conditionCases: Case[] = [...doubts, ...permissions, ...refused, ...changed, ...paths];
