import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { GuardedFetch } from "../defence/guarded-fetch.ts";

/** Streamable HTTP through a guarded fetch, whose connections end with the transport. */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #guarded: GuardedFetch;

  constructor(url: URL, fetch: GuardedFetch) {
    super(url, { fetch });
    this.#guarded = fetch;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#guarded.close();
  }
}
