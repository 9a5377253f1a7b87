/** Verdicts of policies. */
import type { Policy } from "@toolrig/core";
import type { Case } from "./case.ts";

const deny = (
  when: Policy["rules"] extends readonly (infer R)[] | undefined
    ? R extends { when?: infer W }
      ? W
      : never
    : never,
): Policy => ({
  rules: [{ name: "the rule", when: when!, verdict: "deny" }],
});

export const policyCases: Case[] = [
  ...(["open", "standard"] as const).flatMap((profile): Case[] =>
    ["add", "read_file", "write_file", "send_email", "undeclared"].map((name) => ({
      title: `profile ${profile} leaves ${name} alone`,
      policy: { profile },
      call: { name },
      want: "allow",
    })),
  ),
  ...(["add", "read_file"] as const).map(
    (name): Case => ({
      title: `strict allows ${name}`,
      policy: { profile: "strict" },
      call: { name },
      want: "allow",
    }),
  ),
  ...(["write_file", "delete_file", "send_email", "undeclared"] as const).map(
    (name): Case => ({
      title: `strict asks for ${name}`,
      policy: { profile: "strict" },
      call: { name },
      want: "ask",
    }),
  ),
  {
    title: "a rule by name denies",
    policy: deny({ tool: "delete_file" }),
    call: { name: "delete_file" },
    want: "deny",
  },
  {
    title: "a rule by name leaves others",
    policy: deny({ tool: "delete_file" }),
    call: { name: "write_file" },
    want: "allow",
  },
  {
    title: "a pattern matches",
    policy: deny({ tool: "*_file" }),
    call: { name: "write_file" },
    want: "deny",
  },
  {
    title: "a pattern does not match elsewhere",
    policy: deny({ tool: "*_file" }),
    call: { name: "send_email" },
    want: "allow",
  },
  {
    title: "a list of names matches any",
    policy: deny({ tool: ["add", "send_email"] }),
    call: { name: "send_email" },
    want: "deny",
  },
  {
    title: "a provider matches",
    policy: deny({ provider: "vault" }),
    call: { name: "vault_get" },
    want: "deny",
  },
  {
    title: "a provider leaves others",
    policy: deny({ provider: "vault" }),
    call: { name: "read_file" },
    want: "allow",
  },
  {
    title: "side effects match",
    policy: deny({ sideEffects: ["write", "external"] }),
    call: { name: "send_email" },
    want: "deny",
  },
  {
    title: "undeclared counts as external",
    policy: deny({ sideEffects: "external" }),
    call: { name: "undeclared" },
    want: "deny",
  },
  {
    title: "side effects leave reads",
    policy: deny({ sideEffects: "external" }),
    call: { name: "read_file" },
    want: "allow",
  },
  {
    title: "a capability matches",
    policy: deny({ requires: "network" }),
    call: { name: "send_email" },
    want: "deny",
  },
  {
    title: "a capability leaves others",
    policy: deny({ requires: "network" }),
    call: { name: "write_file" },
    want: "allow",
  },
  {
    title: "arguments match a schema",
    policy: deny({ args: { properties: { path: { pattern: "^/etc/" } }, required: ["path"] } }),
    call: { name: "write_file", args: { path: "/etc/passwd" } },
    want: "deny",
  },
  {
    title: "arguments outside the schema pass",
    policy: deny({ args: { properties: { path: { pattern: "^/etc/" } }, required: ["path"] } }),
    call: { name: "write_file", args: { path: "/tmp/x" } },
    want: "allow",
  },
  {
    title: "an amount over the limit asks",
    policy: {
      rules: [
        {
          when: {
            tool: "post_json",
            args: { properties: { amount: { exclusiveMinimum: 100 } }, required: ["amount"] },
          },
          verdict: "ask",
        },
      ],
    },
    call: { name: "post_json", args: { amount: 500 } },
    want: "ask",
  },
  {
    title: "an amount within the limit passes",
    policy: {
      rules: [
        {
          when: {
            tool: "post_json",
            args: { properties: { amount: { exclusiveMinimum: 100 } }, required: ["amount"] },
          },
          verdict: "ask",
        },
      ],
    },
    call: { name: "post_json", args: { amount: 50 } },
    want: "allow",
  },
  {
    title: "a principal matches",
    policy: deny({ principal: "guest-*" }),
    call: { name: "add", principal: "guest-7" },
    want: "deny",
  },
  {
    title: "another principal passes",
    policy: deny({ principal: "guest-*" }),
    call: { name: "add", principal: "ann" },
    want: "allow",
  },
  {
    title: "no principal is not a guest",
    policy: deny({ principal: "guest-*" }),
    call: { name: "add" },
    want: "allow",
  },
  {
    title: "a source matches",
    policy: deny({ source: "mcp" }),
    call: { name: "add", source: "mcp" },
    want: "deny",
  },
  {
    title: "another source passes",
    policy: deny({ source: "mcp" }),
    call: { name: "add", source: "cli" },
    want: "allow",
  },
  {
    title: "a run label matches",
    policy: deny({ runLabels: "production" }),
    call: { name: "add" },
    want: "deny",
  },
  {
    title: "another run label passes",
    policy: deny({ runLabels: "staging" }),
    call: { name: "add" },
    want: "allow",
  },
  {
    title: "inside the time window",
    policy: deny({ time: { from: "09:00", to: "17:00" } }),
    call: { name: "add" },
    want: "deny",
  },
  {
    title: "outside the time window",
    policy: deny({ time: { from: "17:00", to: "20:00" } }),
    call: { name: "add" },
    want: "allow",
  },
  {
    title: "a window over midnight",
    policy: deny({ time: { from: "20:00", to: "13:00" } }),
    call: { name: "add" },
    want: "deny",
  },
  { title: "the day matches", policy: deny({ time: { days: [3] } }), call: { name: "add" }, want: "deny" },
  {
    title: "another day passes",
    policy: deny({ time: { days: [0, 6] } }),
    call: { name: "add" },
    want: "allow",
  },
  {
    title: "the first rule that matches wins",
    policy: {
      rules: [
        { when: { tool: "send_email" }, verdict: "allow" },
        { when: { sideEffects: "external" }, verdict: "deny" },
      ],
    },
    call: { name: "send_email" },
    want: "allow",
  },
  {
    title: "a rule overrides the profile",
    policy: { profile: "strict", rules: [{ when: { tool: "write_file" }, verdict: "allow" }] },
    call: { name: "write_file" },
    want: "allow",
  },
  {
    title: "a rule without condition matches all",
    policy: { rules: [{ verdict: "deny" }] },
    call: { name: "add" },
    want: "deny",
  },
  {
    title: "all parts of a condition must match",
    policy: deny({ tool: "write_file", principal: "bob" }),
    call: { name: "write_file", principal: "ann" },
    want: "allow",
  },
  {
    title: "a call found in prose asks",
    policy: { profile: "open" },
    call: { name: "write_file", source: "extracted" },
    want: "ask",
  },
  {
    title: "a read found in prose passes",
    policy: { profile: "open" },
    call: { name: "read_file", source: "extracted" },
    want: "allow",
  },
];
