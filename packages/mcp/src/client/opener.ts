import { SdkError, SdkErrorCode, type Transport, UnauthorizedError } from "@modelcontextprotocol/client";
import { childEnvironment } from "../defence/environment.ts";
import { type GuardedFetch, guardedFetch } from "../defence/guarded-fetch.ts";
import { withReferences } from "../defence/references.ts";
import type { Era, Server } from "./connection-options.ts";
import { HttpTransport } from "./http-transport.ts";
import type { OAuthClient } from "./oauth/oauth-client.ts";
import { Session, type SessionEvents } from "./session.ts";
import { lastWords, StdioTransport } from "./stdio-transport.ts";

/** Opens sessions with one server. */
export class Opener {
  readonly #server: Server;
  readonly #oauth: OAuthClient | undefined;
  readonly #fetch: GuardedFetch | undefined;

  constructor(server: Server, oauth: OAuthClient | undefined) {
    const { url, headers = {}, limits } = server;
    this.#server = server;
    this.#oauth = oauth;
    this.#fetch =
      url === undefined
        ? undefined
        : guardedFetch({ url, headers: withReferences("headers", headers), maxBytes: limits.message });
  }

  /**
   * In the era that is known of the server, or in the one that it turns out to speak. Where it needs somebody's authorization,
   * that is waited for.
   */
  async open(known: Era | undefined, signal: AbortSignal, events: SessionEvents): Promise<Session> {
    const { era: asked, command } = this.#server;
    const era = asked === "auto" ? (known ?? "auto") : asked;
    try {
      return await this.#authorized(era, signal, events);
    } catch (error) {
      signal.throwIfAborted();
      // A remembered era may be over: the server was updated. One that was asked for is not doubted.
      if (era !== "auto" && asked === "auto") return this.#authorized("auto", signal, events);
      // Some programs end at the first word they do not know: they are asked in the words of before.
      const ended = command !== undefined && error instanceof ConnectError && error.spawned;
      if (era === "auto" && ended) return this.#authorized("2025", signal, events);
      throw error;
    }
  }

  async #authorized(era: "auto" | Era, signal: AbortSignal, events: SessionEvents): Promise<Session> {
    try {
      return await this.#once(era, signal, events);
    } catch (error) {
      const isRefused = error instanceof ConnectError && UnauthorizedError.isInstance(error.cause);
      const flow = isRefused ? this.#oauth?.flow : undefined;
      if (flow === undefined) throw error;
      await Promise.race([flow.done, rejected(signal)]);
      return this.#once(era, signal, events);
    }
  }

  async #once(era: "auto" | Era, signal: AbortSignal, events: SessionEvents): Promise<Session> {
    const transport = this.#transport();
    try {
      const { connectTimeoutMs, give } = this.#server;
      return await Session.open(transport, era, connectTimeoutMs, signal, events, give);
    } catch (error) {
      throw explained(error, transport);
    }
  }

  #transport(): Transport {
    const { command = "", args = [], env = {}, cwd, url = "", limits } = this.#server;
    if (this.#fetch !== undefined) return new HttpTransport(new URL(url), this.#fetch, this.#oauth);
    const words = Object.values(withReferences("args", Object.fromEntries(args.entries())));
    const variables = childEnvironment(withReferences("env", env));
    return new StdioTransport({ command, args: words, env: variables, cwd }, limits.message);
  }

  async close(): Promise<void> {
    this.#oauth?.end();
    await this.#fetch?.close();
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Why there is no session, with the last words of the program if it was one. */
class ConnectError extends Error {
  readonly spawned: boolean;

  constructor(cause: unknown, reason: string, said: string, spawned: boolean) {
    super(said === "" ? reason : `${reason}. It said: ${said}`, { cause });
    this.spawned = spawned;
  }
}

function explained(cause: unknown, transport: Transport): ConnectError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (!(transport instanceof StdioTransport)) return new ConnectError(cause, reason, "", false);
  // That a pipe broke says less than how the program at its other end went.
  const { end = reason, hasLeft, stderr, pid } = transport;
  return new ConnectError(cause, hasLeft || isBroken(cause) ? end : reason, lastWords(stderr), pid !== null);
}

function isBroken(error: unknown): boolean {
  const { code } = (SdkError.isInstance(error) && error.cause !== undefined ? error.cause : error) as {
    code?: unknown;
  };
  return code === "EPIPE" || code === "ECONNRESET" || code === SdkErrorCode.ConnectionClosed;
}
