/** Writes packages/nats/config/accounts.conf: what `serverConfig` makes of an example, with passwords from the environment. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerPlan } from "../packages/nats/src/fleet/server-config/plan.ts";
import { configText } from "../packages/nats/src/fleet/server-config.ts";

const FILE = join(import.meta.dirname, "../packages/nats/config/accounts.conf");

const plan: ServerPlan = {
  workers: { "search-worker": ["search_docs"], "mail-worker": ["send_mail"] },
  callers: { desk: ["search_docs", "send_mail"], site: ["search_docs"] },
  serverName: "$FLEET_SERVER_NAME",
  listen: "$FLEET_LISTEN",
  store: "$FLEET_STORE",
};

const HEAD = `# An example nats-server configuration for a fleet whose participants do not trust each other.
#
#   nats-server -c accounts.conf
#
# One of your own, with NKeys and TLS: toolrig fleet config --worker NAME=TOOL,TOOL --caller NAME=TOOL --out FOLDER
#
# One worker that runs search_docs, one that runs send_mail, and two callers: "desk" may call both tools, "site" only
# search_docs. A caller goes by the name of its account, and reaches nothing of the fleet but what its account imports:
#
#   new NatsWorker({ nats: { user: "search-worker", pass, inboxPrefix: "_INBOX_search-worker" }, callers: { desk: { keys } }, ... })
#   NatsExecutor.connect({ nats: { user: "site", pass }, caller: "site", signer: seed })
#
# "admin" makes streams and queues, before the workers start: toolrig fleet setup, with the tools as the workers have them.

`;

/** The text of the file. */
export function exampleConfig(): string {
  const password = (user: string) => `$FLEET_${user.replace("-worker", "").toUpperCase()}_PASSWORD`;
  return (
    HEAD +
    configText(plan, (user) => ({
      credentials: `user: ${JSON.stringify(user)}, password: ${password(user)}`,
      inboxes: [`_INBOX_${user}`],
    }))
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const text = exampleConfig();
  if (!process.argv.includes("--check")) writeFileSync(FILE, text);
  else if (readFileSync(FILE, "utf8") !== text)
    throw new Error(`${FILE} is not what scripts/fleet-config.ts writes`);
}
