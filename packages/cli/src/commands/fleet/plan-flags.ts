import { check } from "@toolrig/core/kit";
import type { ServerPlan } from "@toolrig/nats";

/** What of a plan was typed. */
export interface PlanFlags {
  work?: readonly string[];
  calls?: readonly string[];
  priorities?: boolean;
  listen?: string;
  store?: string;
  "server-name"?: string;
  "tls-cert"?: string;
  "tls-key"?: string;
  "tls-ca"?: string;
}

/** Flags of `toolrig fleet config`, of which some say who takes part. */
export const PLAN_OPTIONS = {
  work: {
    type: "string",
    multiple: true,
    value: "WORKER=TOOLS",
    describe: 'config: a worker and its tools, such as "office=send_mail,search_docs@2"; once a worker',
  },
  calls: {
    type: "string",
    multiple: true,
    value: "CALLER=TOOLS",
    describe: "config: a caller and the tools that it may call; once a caller",
  },
  priorities: { type: "boolean", describe: "config: with queues of high and low priority" },
  listen: { type: "string", value: "HOST:PORT", describe: "config: default 127.0.0.1:4222" },
  store: {
    type: "string",
    value: "FOLDER",
    describe: "config: where JetStream keeps its data (default: ./data)",
  },
  "server-name": { type: "string", value: "NAME", describe: "config: the server's name (default: fleet)" },
  "tls-cert": { type: "string", value: "FILE", describe: "config: the server's certificate, in PEM" },
  "tls-key": { type: "string", value: "FILE", describe: "config: its key" },
  "tls-ca": {
    type: "string",
    value: "FILE",
    describe: "config: the authority whose certificates clients must show (default: they show none)",
  },
} as const;

/** Throws `OPTION_INVALID`, naming the flag. What it names is checked with the plan. */
export function planOf(flags: PlanFlags): ServerPlan {
  const { "tls-cert": cert, "tls-key": key, "tls-ca": ca, "server-name": serverName } = flags;
  const { priorities, listen, store } = flags;
  if ((cert === undefined) !== (key === undefined))
    throw check.invalid(
      cert === undefined ? "--tls-cert" : "--tls-key",
      "the other file of the pair",
      undefined,
    );
  if (ca !== undefined && cert === undefined)
    throw check.invalid("--tls-cert", "given with --tls-ca", undefined);
  return {
    workers: toolsByName("--work", flags.work),
    callers: toolsByName("--calls", flags.calls),
    ...(priorities === true && { priorities }),
    ...(listen !== undefined && { listen }),
    ...(store !== undefined && { store }),
    ...(serverName !== undefined && { serverName }),
    ...(cert !== undefined && key !== undefined && { tls: { cert, key, ...(ca !== undefined && { ca }) } }),
  };
}

function toolsByName(flag: string, given: readonly string[] = []): Record<string, string[]> {
  if (given.length === 0) throw check.invalid(flag, "at least one NAME=TOOL,TOOL", undefined);
  const found = new Map<string, string[]>();
  for (const text of given) {
    const [, name = "", tools = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    const names = tools.split(",").map((each) => each.trim());
    if (name === "" || names.includes("")) throw check.invalid(flag, "NAME=TOOL,TOOL", text);
    if (found.has(name)) throw check.invalid(flag, "each name once", text);
    found.set(name, names);
  }
  return Object.fromEntries(found);
}
