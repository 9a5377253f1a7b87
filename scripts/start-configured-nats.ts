import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type NatsProcess, startNats } from "./start-nats.ts";

const USERS = ["admin", "search", "mail", "desk", "site"];

/** A server with one of the configurations that are shipped in packages/nats/config. */
export interface ConfiguredNats extends NatsProcess {
  /** Connection options for one of its users. */
  login(user: string): { servers: string; user: string; pass: string; inboxPrefix: string };
}

/** `edit` changes the text of the configuration first. */
export async function startConfiguredNats(
  file: "fleet.conf" | "accounts.conf",
  edit = (text: string) => text,
): Promise<ConfiguredNats> {
  const text = readFileSync(join(import.meta.dirname, "../packages/nats/config", file), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "toolrig-configured-"));
  const port = await freePort();
  const values: Record<string, string> = {
    FLEET_SERVER_NAME: "fleet",
    FLEET_LISTEN: `127.0.0.1:${port}`,
    FLEET_STORE: join(folder, "data"),
  };
  for (const user of USERS) values[`FLEET_${user.toUpperCase()}_PASSWORD`] = `secret of ${user}`;
  const config = edit(text).replaceAll(/\$(FLEET_\w+)/g, (_, name: string) => JSON.stringify(values[name]));
  const server = await startNats({ port, config });
  const close = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const login = (user: string) => ({
    servers: server.url,
    user,
    pass: `secret of ${user.replace("-worker", "")}`,
    inboxPrefix: `_INBOX_${user}`,
  });
  return Object.assign(Object.create(server) as NatsProcess, { close, login });
}
