import type { ToolContext } from "@toolrig/core";
import type { Connection } from "../connection.ts";
import type { Server } from "../connection-options.ts";
import { CallbackListener } from "./callback-listener.ts";
import { type AuthorizationRequest, OAuthClient } from "./oauth-client.ts";
import { whenAuthorized } from "./question.ts";
import { TokenStore } from "./token-store.ts";

/** The authorizations of all connections: one place for their tokens, one port that browsers come back to. */
export class Authorizations {
  readonly #tokens: TokenStore;
  readonly #listener = new CallbackListener();
  readonly #onAuthorize: (request: AuthorizationRequest) => void;

  constructor(tokens: string | undefined, onAuthorize: (request: AuthorizationRequest) => void = () => {}) {
    this.#tokens = new TokenStore(tokens);
    this.#onAuthorize = onAuthorize;
  }

  /** For one connection. Undefined where none is needed; `onAuthorize` is told when a person has to open an address. */
  clientFor(
    name: string,
    { url, auth, principal }: Server,
    onAuthorize: (url: string) => void,
  ): OAuthClient | undefined {
    if (url === undefined || auth === false) return undefined;
    const owner = { principal, connection: name, url };
    return new OAuthClient(owner, auth ?? {}, this.#tokens, this.#listener, (request) => {
      onAuthorize(request.url);
      this.#onAuthorize(request);
    });
  }

  close(): void {
    this.#listener.close();
  }
}

/** Where a connection waits for somebody's authorization, asks the person behind a call for it, and waits until it is there. */
export async function authorized(connection: Connection | undefined, context: ToolContext): Promise<void> {
  const flow = connection?.oauth?.flow;
  if (connection === undefined || flow === undefined) return;
  await whenAuthorized(connection, flow, context);
  await connection.session(context.signal);
}
