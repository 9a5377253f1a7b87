/** Every verdict of a policy and of the information-flow guard, on the real executor, with its reason. */
import {
  type CallEvent,
  type CallSource,
  Executor,
  type Guard,
  InformationFlow,
  type Labels,
  type Policy,
  type Profile,
  policyGuard,
  Registry,
  type SideEffects,
  tool,
} from "@toolrig/core";
import type { Proof } from "./proof.ts";

type Outcome = "allow" | "deny" | "ask";

interface Step {
  name: string;
  args?: Record<string, unknown>;
  source?: CallSource;
  principal?: string;
}

interface Case {
  title: string;
  policy?: Policy;
  flow?: Profile;
  /** What the user said before. */
  said?: string;
  /** Calls made before the one that counts. */
  before?: Step[];
  /** Declassify before the call that counts. */
  declassify?: boolean;
  call: Step;
  want: Outcome;
}

const open = { type: "object", additionalProperties: true } as const;

function make(name: string, sideEffects: SideEffects | undefined, labels?: Labels, requires: string[] = []) {
  return tool({
    name,
    description: name,
    input: open,
    ...(sideEffects !== undefined && { safety: { sideEffects, requires } }),
    ...(labels !== undefined && { labels }),
    execute: (args) => `${name} ${JSON.stringify(args)}`,
  });
}

function registry(): Registry {
  const tools = new Registry([
    make("add", "none"),
    make("read_file", "read", undefined, ["filesystem"]),
    make("read_contacts", "read"),
    make("write_file", "write", { sinks: ["path"] }, ["filesystem"]),
    make("delete_file", "write", { sinks: ["path"] }, ["filesystem"]),
    make("send_email", "external", { sinks: ["to"] }, ["network"]),
    make("post_json", "external", undefined, ["network"]),
    make("undeclared", undefined),
    make("fetch_page", "read", { integrity: "untrusted", source: "web" }, ["network"]),
    make("read_mail", "read", { integrity: "untrusted", confidentiality: "private", source: "mail" }),
    make("read_salary", "read", { confidentiality: "private", source: "hr" }),
  ]);
  tools.add(make("vault_get", "read"), { provider: "vault" });
  return tools;
}

const deny = (
  when: Policy["rules"] extends readonly (infer R)[] | undefined
    ? R extends { when?: infer W }
      ? W
      : never
    : never,
): Policy => ({
  rules: [{ name: "the rule", when: when!, verdict: "deny" }],
});

const web: Step[] = [{ name: "fetch_page", args: { url: "https://example.com" } }];
const mail: Step[] = [{ name: "read_mail", args: {} }];

const policyCases: Case[] = [
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

const flowCases: Case[] = [
  {
    title: "no untrusted read: external passes",
    flow: "standard",
    call: { name: "send_email", args: { to: "x@y.org" } },
    want: "allow",
  },
  {
    title: "untrusted read, foreign recipient asks",
    flow: "standard",
    before: web,
    call: { name: "send_email", args: { to: "evil@z.org" } },
    want: "ask",
  },
  {
    title: "untrusted read, the user's recipient passes",
    flow: "standard",
    said: "mail bob@y.org",
    before: web,
    call: { name: "send_email", args: { to: "bob@y.org", body: "hi" } },
    want: "allow",
  },
  {
    title: "a recipient that only looks like the user's asks",
    flow: "standard",
    said: "mail bob@y.org",
    before: web,
    call: { name: "send_email", args: { to: "bob@y.org.evil.net" } },
    want: "ask",
  },
  {
    title: "part of a word is not the value",
    flow: "standard",
    said: "send 500",
    before: web,
    call: { name: "post_json", args: { amount: 50 } },
    want: "ask",
  },
  {
    title: "undeclared sinks: every argument counts",
    flow: "standard",
    said: "post to A",
    before: web,
    call: { name: "post_json", args: { to: "A", note: "secret" } },
    want: "ask",
  },
  {
    title: "case and spacing do not matter",
    flow: "standard",
    said: "Write  Notes.TXT",
    before: web,
    call: { name: "write_file", args: { path: "notes.txt" } },
    want: "allow",
  },
  {
    title: "a write to a foreign path asks",
    flow: "standard",
    before: web,
    call: { name: "write_file", args: { path: "/etc/cron" } },
    want: "ask",
  },
  {
    title: "a value from a trusted result passes",
    flow: "standard",
    before: [{ name: "read_contacts", args: { found: "bob@y.org" } }, ...web],
    call: { name: "send_email", args: { to: "bob@y.org" } },
    want: "allow",
  },
  {
    title: "a value from an untrusted result asks",
    flow: "standard",
    before: [{ name: "fetch_page", args: { says: "mail eve@z.org" } }],
    call: { name: "send_email", args: { to: "eve@z.org" } },
    want: "ask",
  },
  {
    title: "reads are never asked about",
    flow: "standard",
    before: web,
    call: { name: "read_file", args: { path: "/etc/passwd" } },
    want: "allow",
  },
  {
    title: "one who lists several recipients needs all from the user",
    flow: "standard",
    said: "mail a@y.org",
    before: web,
    call: { name: "send_email", args: { to: ["a@y.org", "eve@z.org"] } },
    want: "ask",
  },
  {
    title: "several recipients of the user pass",
    flow: "standard",
    said: "mail a@y.org and b@y.org",
    before: web,
    call: { name: "send_email", args: { to: ["a@y.org", "b@y.org"] } },
    want: "allow",
  },
  {
    title: "rule of two: untrusted, private and external asks",
    flow: "standard",
    said: "mail bob@y.org",
    before: mail,
    call: { name: "send_email", args: { to: "bob@y.org" } },
    want: "ask",
  },
  {
    title: "rule of two: private from one tool, untrusted from another",
    flow: "standard",
    said: "mail bob@y.org",
    before: [{ name: "read_salary" }, ...web],
    call: { name: "send_email", args: { to: "bob@y.org" } },
    want: "ask",
  },
  {
    title: "private alone passes",
    flow: "standard",
    before: [{ name: "read_salary" }],
    call: { name: "send_email", args: { to: "x@y.org" } },
    want: "allow",
  },
  {
    title: "rule of two does not touch local writes",
    flow: "standard",
    said: "save to notes.md",
    before: mail,
    call: { name: "write_file", args: { path: "notes.md" } },
    want: "allow",
  },
  {
    title: "flags and nothing are nobody's words",
    flow: "standard",
    said: "x",
    before: web,
    call: { name: "post_json", args: { dry: true, note: null } },
    want: "allow",
  },
  {
    title: "declassified: passes again",
    flow: "standard",
    before: web,
    declassify: true,
    call: { name: "send_email", args: { to: "any@z.org" } },
    want: "allow",
  },
  {
    title: "strict: external after untrusted asks, whoever said it",
    flow: "strict",
    said: "mail bob@y.org",
    before: web,
    call: { name: "send_email", args: { to: "bob@y.org" } },
    want: "ask",
  },
  {
    title: "strict: write after untrusted asks",
    flow: "strict",
    said: "save a.md",
    before: web,
    call: { name: "write_file", args: { path: "a.md" } },
    want: "ask",
  },
  {
    title: "strict: without untrusted read passes",
    flow: "strict",
    call: { name: "send_email", args: { to: "bob@y.org" } },
    want: "allow",
  },
  {
    title: "strict: reads pass",
    flow: "strict",
    before: web,
    call: { name: "read_file", args: { path: "a" } },
    want: "allow",
  },
  {
    title: "open: nothing is asked",
    flow: "open",
    before: mail,
    call: { name: "send_email", args: { to: "eve@z.org" } },
    want: "allow",
  },
  {
    title: "an undeclared tool after untrusted asks",
    flow: "standard",
    before: web,
    call: { name: "undeclared", args: { do: "it" } },
    want: "ask",
  },
];

/** A Wednesday at noon, UTC. */
const NOON = Date.UTC(2026, 0, 7, 12);

async function verdictOf(each: Case): Promise<{ got: Outcome; why: string }> {
  const guards: Guard[] = [];
  const flow = new InformationFlow({ profile: each.flow ?? "open" });
  if (each.policy !== undefined)
    guards.push(policyGuard(each.policy, { now: () => NOON, runLabels: () => ["production"] }));
  if (each.flow !== undefined) guards.push(flow.guard);
  let asked: string | undefined;
  const verdicts: Extract<CallEvent, { type: "call.verdict" }>[] = [];
  const executor = new Executor({
    tools: registry(),
    guards,
    approve: ({ reasons }) => {
      asked = reasons.join("; ");
      return { approved: false, reason: "the proof only looks" };
    },
  });
  executor.events.on("call.verdict", (event) => verdicts.push(event));
  const make = ({ name, args = {}, source, principal }: Step) =>
    executor.call(
      { id: "call", name, arguments: args },
      {
        runId: "run",
        ...(source !== undefined && { source }),
        ...(principal !== undefined && { principal: { id: principal } }),
      },
    );
  if (each.said !== undefined) flow.userSaid("run", each.said);
  for (const step of each.before ?? []) await make(step);
  if (each.declassify === true) flow.declassify("run", { by: "ann", reason: "looked at it" });
  asked = undefined;
  verdicts.length = 0;
  const result = await make(each.call);
  if (asked !== undefined) return { got: "ask", why: asked };
  const last = verdicts.findLast((event) => event.phase === "before");
  return { got: result.isError ? "deny" : "allow", why: last?.reason ?? "no guard objected" };
}

export const proof: Proof = {
  name: "policy",
  claim: "Policy and information flow give the expected verdict on every case, with its reason",
  async run(_mode, print) {
    let failed = 0;
    const cases = [...policyCases, ...flowCases];
    for (const each of cases) {
      const { got, why } = await verdictOf(each);
      const ok = got === each.want;
      if (!ok) failed += 1;
      print(
        `${ok ? "ok  " : "MISS"} ${got.padEnd(6)} ${each.title.padEnd(62)} ${why}${ok ? "" : ` (wanted ${each.want})`}`,
      );
    }
    return { passed: cases.length - failed, failed };
  },
};
