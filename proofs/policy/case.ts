/** What a case of the policy proof is, and the tools that it calls. */
import {
  type CallSource,
  type Labels,
  type Policy,
  type Profile,
  Registry,
  type SideEffects,
  tool,
} from "@toolrig/core";

/** "refused": there is no such policy. */
export type Outcome = "allow" | "deny" | "ask" | "refused";

export interface Step {
  name: string;
  args?: Record<string, unknown>;
  source?: CallSource;
  principal?: string;
}

export interface Case {
  title: string;
  policy?: Policy;
  flow?: Profile;
  /** What the user said before. */
  said?: string;
  /** Calls made before the one that counts. */
  before?: Step[];
  /** Declassify before the call that counts. */
  declassify?: boolean;
  /** Paths that may not be changed. */
  protect?: string[];
  /** What a guard after the policy makes of the arguments. */
  rewrite?: Record<string, unknown>;
  /** A hook blocks these arguments. */
  blocks?: (args: Record<string, unknown>) => boolean;
  /** Who is asked approves, with other arguments. Otherwise nobody does. */
  edit?: Record<string, unknown>;
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

export function registry(): Registry {
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
    make("search_web", "read", { integrity: "untrusted", source: "web", sinks: ["query"] }, ["network"]),
    make("sure_write", "write", { integrity: "trusted", sinks: ["path"] }),
    make("read_mail", "read", { integrity: "untrusted", confidentiality: "private", source: "mail" }),
    make("read_salary", "read", { confidentiality: "private", source: "hr" }),
  ]);
  tools.add(make("vault_get", "read"), { provider: "vault" });
  return tools;
}
