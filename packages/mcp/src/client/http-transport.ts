import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { GuardedFetch } from "../defence/guarded-fetch.ts";
import type { OAuthClient } from "./oauth/oauth-client.ts";

/** Streamable HTTP through a guarded fetch. Whoever is asked for a token gets ready for that first. */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, fetch: GuardedFetch, oauth: OAuthClient | undefined) {
    if (oauth === undefined) {
      super(url, { fetch });
      return;
    }
    super(url, {
      authProvider: oauth,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (response.status === 401 || response.status === 403) await oauth.prepare();
        return response;
      },
    });
    oauth.finishWith((answer) => this.finishAuth(answer));
  }
}
