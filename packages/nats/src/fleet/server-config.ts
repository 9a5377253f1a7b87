import { nkeys } from "@nats-io/transport-node";
import { inboxesOf } from "../wire/connection.ts";
import {
  callerText,
  exportsOfStore,
  exportsOfTools,
  importsOfOperator,
  importsOfTools,
  type Login,
  workerText,
} from "./server-config/accounts.ts";
import { list, quoted, value } from "./server-config/notation.ts";
import { checkPlan, OPERATOR, type ServerPlan, STORE, TOOLS } from "./server-config/plan.ts";

/** What a server's configuration consists of. */
export interface ServerConfig {
  /** The text for `nats-server -c`. */
  text: string;
  /** The seeds of everybody's NKeys, by user. Keep each where only its user reads it. */
  seeds: Readonly<Record<string, string>>;
  /** For `callers` of every worker: whose calls it takes, and who must have signed them. */
  callers: Readonly<Record<string, { keys: readonly string[] }>>;
}

/**
 * A configuration of nats-server in which participants need not trust each other: JetStream in an account of its own, the workers
 * in one, each caller in one, everybody with an NKey, made here unless the plan has its seed. Throws `OPTION_INVALID`.
 */
export function serverConfig(plan: ServerPlan): ServerConfig {
  checkPlan(plan);
  const { seeds: kept = {} } = plan;
  const users = [OPERATOR, ...Object.keys(plan.workers), ...Object.keys(plan.callers)];
  const pairs = new Map(
    users.map((user) => [user, pairOf(Object.hasOwn(kept, user) ? kept[user] : undefined)]),
  );
  const seeds = Object.fromEntries(
    [...pairs].map(([user, pair]) => [user, Buffer.from(pair.getSeed()).toString()]),
  );
  const keyOf = (user: string) => pairs.get(user)?.getPublicKey() ?? "";
  const loginOf = (user: string): Login => ({
    credentials: `nkey: ${keyOf(user)}`,
    inboxes: [inboxesOf(user), inboxesOf(keyOf(user))],
  });
  const callers = Object.fromEntries(
    Object.keys(plan.callers).map((name) => [name, { keys: [keyOf(name)] }]),
  );
  // The operator's calls come from the fleet's own account, under its name.
  callers[OPERATOR] = { keys: [keyOf(OPERATOR)] };
  return { text: configText(plan, loginOf), seeds, callers };
}

const pairOf = (seed: string | undefined) =>
  seed === undefined ? nkeys.createUser() : nkeys.fromSeed(Buffer.from(seed));

/** The same text, with users that log in as `loginOf` says. */
export function configText(plan: ServerPlan, loginOf: (user: string) => Login): string {
  const workers = Object.entries(plan.workers);
  const callers = Object.keys(plan.callers);
  return `${headOf(plan)}
accounts {
  # JetStream, and nobody in it but the operator. Whoever may ask JetStream something can name any subject of the account as the reply,
  # and the server publishes there: so nobody else is in this account, and nobody may make consumers, which deliver anywhere, too.
  ${STORE} {
    jetstream: enabled
    users: [{ ${loginOf(OPERATOR).credentials} }]
    exports: ${list(exportsOfStore(plan), 4)}
    imports: ${list(importsOfOperator(), 4)}
  }

  # The workers, without JetStream: they reach what is imported, each what its permissions name.
  ${TOOLS} {
    users: [
${workers.map(([user, tools]) => workerText(plan, tools, loginOf(user))).join("\n")}
    ]
    exports: ${list(exportsOfTools(callers), 4)}
    imports: ${list(importsOfTools(plan), 4)}
  }
${callers.map((name) => callerText(plan, name, loginOf(name))).join("")}}
`;
}

function headOf({
  serverName = "fleet",
  listen = "127.0.0.1:4222",
  store = "./data",
  tls,
}: ServerPlan): string {
  const files =
    tls === undefined
      ? '# tls { cert_file: "server.pem", key_file: "server.key", ca_file: "ca.pem", verify: true }'
      : `tls { cert_file: ${quoted(tls.cert)}, key_file: ${quoted(tls.key)}${tls.ca === undefined ? "" : `, ca_file: ${quoted(tls.ca)}, verify: true`} }`;
  return `server_name: ${value(serverName)}
listen: ${value(listen)}

jetstream {
  store_dir: ${value(store)}
  # What power loss can cost: writes of the last 100 ms.
  sync_interval: "100ms"
}

${files}
`;
}
