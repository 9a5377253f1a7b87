import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { NOBODY } from "../../wire/names.ts";
import { readSeed } from "../../wire/nkeys.ts";
import { nameOption } from "../setup.ts";
import { queuesOf } from "./queues.ts";

/** Files of the server, in PEM. */
interface ServerTls {
  cert: string;
  key: string;
  /** Of the authority whose certificates clients must show. Default: they show none. */
  ca?: string;
}

/** Who takes part in a fleet of several teams. */
export interface ServerPlan {
  /** The tools that each worker runs, by the worker's user name: "search_docs", or "search_docs@2" for calls of ^2, too. */
  workers: Readonly<Record<string, readonly string[]>>;
  /** The tools that each caller may call, by the caller's name, which becomes its account. */
  callers: Readonly<Record<string, readonly string[]>>;
  /** Whether there are queues of high and low priority. Default false. */
  priorities?: boolean;
  stream?: string;
  ledger?: string;
  serverName?: string;
  /** Default "127.0.0.1:4222". Elsewhere than on loopback `tls` is needed. */
  listen?: string;
  /** Where JetStream keeps its data. Default "./data". */
  store?: string;
  tls?: ServerTls;
  /** Seeds of users that have NKeys already, by user. The others get new ones. */
  seeds?: Readonly<Record<string, string>>;
}

/** The user that makes streams and queues, and the only one in the account with JetStream. */
export const OPERATOR = "admin";
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const STORE = "STORE";
export const TOOLS = "TOOLS";

/** What is taken: NOBODY begins the keys of callers without a name. */
const RESERVED: readonly string[] = [OPERATOR, STORE, TOOLS, NOBODY];

const tlsOptions = declareOptions("the certificates of a fleet's server", {
  cert: option.text({ required: true }),
  key: option.text({ required: true }),
  ca: option.text(),
} satisfies OptionTable<ServerTls>);

const planOptions = declareOptions("the plan of a fleet's server", {
  workers: option.recordOf("tools by worker", option.strings("a list of tools"), { required: true }),
  callers: option.recordOf("tools by caller", option.strings("a list of tools"), { required: true }),
  priorities: option.flag({ default: false }),
  stream: nameOption("AGENT"),
  ledger: nameOption("TOOL_LEDGER"),
  serverName: option.text(),
  listen: option.text(),
  store: option.text(),
  tls: option.group(tlsOptions),
  // Checked without showing what is none.
  seeds: option.object("seeds of NKeys by user"),
} satisfies OptionTable<ServerPlan>);

/** Throws `OPTION_INVALID` for a plan that no server could be configured by. */
export function checkPlan(plan: ServerPlan): void {
  planOptions.check(plan);
  const { workers, callers, listen = "127.0.0.1:4222", tls } = plan;
  const seen = new Set(RESERVED);
  for (const name of [...Object.keys(workers), ...Object.keys(callers)]) {
    if (!NAME.test(name))
      throw check.invalid("The name of a worker or caller", "letters, digits, _ and -", name);
    if (seen.has(name)) throw check.invalid("The name of a worker or caller", "one of its own", name);
    seen.add(name);
  }
  const keys = new Set<string>();
  for (const [user, seed] of Object.entries(plan.seeds ?? {})) {
    if (user !== OPERATOR && (!seen.has(user) || RESERVED.includes(user)))
      throw check.invalid("seeds", "seeds of the plan's workers and callers, and of admin", user);
    const { publicKey } = readSeed(`seeds.${user}`, seed);
    if (keys.has(publicKey))
      throw check.invalid(`seeds.${user}`, "a seed of its own", "that of another user");
    keys.add(publicKey);
  }
  const run = Object.values(workers).flat();
  const byConsumer = new Map<string, string>();
  for (const { name, consumer } of run.flatMap((tool) => queuesOf(plan, tool))) {
    const other = byConsumer.get(consumer);
    if (other !== undefined && other !== name)
      throw check.invalid("tools", `names that differ in more than . _ and - (as ${other} does not)`, name);
    byConsumer.set(consumer, name);
  }
  for (const tool of Object.values(callers).flat())
    if (queuesOf(plan, tool).some(({ name, consumer }) => byConsumer.get(consumer) !== name))
      throw check.invalid("A caller's tool", `one that a worker runs (${run.join(", ")})`, tool);
  const isLocal = /^(?:127\.|localhost:|\[::1\]:)/.test(listen);
  if (!isLocal && tls === undefined)
    throw check.invalid("tls", `certificates, to listen on ${listen}`, undefined);
}
