import type { Transport } from "@modelcontextprotocol/client";
import { childEnvironment } from "../defence/environment.ts";
import { guardedFetch } from "../defence/guarded-fetch.ts";
import { withReferences } from "../defence/references.ts";
import type { Era, Server } from "./connection-options.ts";
import { HttpTransport } from "./http-transport.ts";
import { Session, type SessionEvents } from "./session.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Opens a session with a server, in the era that is known of it or in the one that it turns out to speak. */
export async function openSession(
  server: Server,
  known: Era | undefined,
  signal: AbortSignal,
  events: SessionEvents,
): Promise<Session> {
  const era = server.era === "auto" ? (known ?? "auto") : server.era;
  const open = (asked: "auto" | Era) => {
    const transport = transportOf(server);
    return Session.open(transport, asked, server.connectTimeoutMs, signal, events).catch((error: unknown) => {
      throw explained(error, transport);
    });
  };
  try {
    return await open(era);
  } catch (error) {
    signal.throwIfAborted();
    // A remembered era may be over: the server was updated. One that was asked for is not doubted.
    if (era !== "auto" && server.era === "auto") return open("auto");
    // Some programs end at the first word they do not know: they are asked in the words of before.
    if (era === "auto" && server.command !== undefined && endedAtProbe(error)) return open("2025");
    throw error;
  }
}

function transportOf({ command, args = [], env = {}, cwd, url, headers = {}, limits }: Server): Transport {
  if (command !== undefined) {
    const words = Object.values(withReferences("args", Object.fromEntries(args.entries())));
    const variables = childEnvironment(withReferences("env", env));
    return new StdioTransport({ command, args: words, env: variables, cwd }, limits.message);
  }
  const sent = withReferences("headers", headers);
  const fetch = guardedFetch({ url, headers: sent, maxBytes: limits.message });
  return new HttpTransport(new URL(url ?? ""), fetch);
}

const endedAtProbe = (error: unknown) => error instanceof ConnectError && error.spawned;

/** Why there is no session, with the last words of the program if it was one. */
export class ConnectError extends Error {
  readonly spawned: boolean;

  constructor(cause: unknown, said: string, spawned: boolean) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(said === "" ? reason : `${reason}. It said: ${said}`, { cause });
    this.spawned = spawned;
  }
}

function explained(cause: unknown, transport: Transport): ConnectError {
  if (!(transport instanceof StdioTransport)) return new ConnectError(cause, "", false);
  return new ConnectError(cause, transport.stderr.trim().slice(-500), transport.pid !== null);
}
