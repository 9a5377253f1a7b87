import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { GuardedFetch } from "../defence/guarded-fetch.ts";
import { lossOf } from "../wire/from-mcp-error.ts";
import type { OAuthClient } from "./oauth/oauth-client.ts";

/**
 * Streamable HTTP through a guarded fetch. Whoever is asked for a token gets ready for that first. The stream on which a server of
 * the 2025 era tells of changes also shows that it is there: when it is lost and cannot be opened again because nobody is there, or
 * nobody who knows the session, the connection is over.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, fetch: GuardedFetch, oauth: OAuthClient | undefined) {
    let wasOpen = false;
    const watched = async (input: string | URL | Request, init?: RequestInit) => {
      if (init?.method !== "GET") return fetch(input, init);
      try {
        const response = await fetch(input, init);
        // A server that never had such a stream may say so by this as well.
        if (response.status === 404 && wasOpen) this.#end();
        wasOpen ||= response.ok;
        return response;
      } catch (error) {
        if (lossOf(error) === "unsent") this.#end();
        throw error;
      }
    };
    if (oauth === undefined) {
      super(url, { fetch: watched });
      return;
    }
    super(url, {
      authProvider: oauth,
      fetch: async (input, init) => {
        const response = await watched(input, init);
        if (response.status === 401 || response.status === 403) await oauth.prepare();
        return response;
      },
    });
    oauth.finishWith((answer) => this.finishAuth(answer));
  }

  /** After the SDK has seen what came of its request. */
  #end(): void {
    setImmediate(() => void this.close().catch(() => {}));
  }
}
