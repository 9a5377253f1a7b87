import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Executor, type ToolResult } from "@toolrig/core";
import { fetchUrlOver, sendRequestOver } from "../../packages/toolkit/src/http/fetch-url.ts";
import type { Network } from "../../packages/toolkit/src/http/network.ts";
import { webSearchOver } from "../../packages/toolkit/src/http/web-search.ts";

/** What one attempt came to. */
export interface Seen {
  result: ToolResult;
  /** Requests that arrived in the house. */
  reached: number;
  /** Bytes that arrived there, of whatever. */
  bytes: number;
  /** Addresses to which a connection was attempted, the front's left out. */
  attempted: readonly string[];
  lookups: number;
}

export interface Tricks {
  /** What a name stands for, each time it is asked. */
  resolve?: (host: string, time: number) => readonly string[];
  /** Where a connection really leads. */
  divert?: boolean;
  /** Further hosts that the owner allows. */
  allow?: readonly string[];
  tool?: "fetch_url" | "send_request" | "web_search";
  /** For web_search: where the owner's search engine is. */
  endpoint?: string;
}

/**
 * Two servers on this machine: the house, which nobody may reach, and a front, which the owner allows and which redirects as it is
 * told. No connection ever leaves: one to another address is noted and refused.
 */
export class Scene {
  readonly #house: Server;
  readonly #front: Server;
  #requests = 0;
  #bytes = 0;
  /** Where the front redirects to, by path. */
  readonly redirects = new Map<string, { status: number; location: string }>();

  private constructor() {
    this.#house = createServer((_, response) => {
      this.#requests += 1;
      response.setHeader("content-type", "text/plain").end("the secrets of the house");
    });
    this.#house.on("connection", (socket) => socket.on("data", (chunk) => this.#count(chunk.length)));
    this.#front = createServer((request, response) => {
      const to = this.redirects.get(request.url ?? "");
      if (to === undefined) response.setHeader("content-type", "text/html").end("<p>the front");
      else response.writeHead(to.status, { location: to.location, refresh: `0; url=${to.location}` }).end();
    });
  }

  static async open(): Promise<Scene> {
    const scene = new Scene();
    for (const server of [scene.#house, scene.#front])
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return scene;
  }

  get housePort(): number {
    return (this.#house.address() as AddressInfo).port;
  }

  get frontPort(): number {
    return (this.#front.address() as AddressInfo).port;
  }

  async attempt(url: string, tricks: Tricks): Promise<Seen> {
    const attempted: string[] = [];
    let lookups = 0;
    const network: Network = {
      lookup: async (host) => tricks.resolve?.(host, ++lookups) ?? ["127.0.0.1"],
      connect: (address, port) => {
        if (port !== this.frontPort) attempted.push(address);
        return this.#connect(address, port, tricks.divert === true);
      },
    };
    const options = {
      allow: [`127.0.0.1:${this.frontPort}`, ...(tricks.allow ?? [])],
      timeout: "10s",
    } as const;
    const { endpoint } = tricks;
    const tools = [
      fetchUrlOver(network, options),
      sendRequestOver(network, options),
      webSearchOver(network, { ...options, ...(endpoint !== undefined && { endpoint }) }),
    ];
    const executor = new Executor({
      tools: tools.map((tool) => ({ ...tool, retry: { ...tool.retry, attempts: 1 } })),
    });
    const [before, bytesBefore] = [this.#requests, this.#bytes];
    const name = tricks.tool ?? "fetch_url";
    const args = {
      fetch_url: { url },
      send_request: { url, method: "POST", body: "data" },
      web_search: { query: "x" },
    }[name];
    const result = await executor.call({ id: "attempt", name, arguments: args });
    return {
      result,
      reached: this.#requests - before,
      bytes: this.#bytes - bytesBefore,
      attempted,
      lookups,
    };
  }

  #connect(address: string, port: number, divert: boolean): Socket {
    if (divert) return connect({ host: "127.0.0.1", port: this.housePort });
    if (address === "127.0.0.1" || address === "::1") return connect({ host: address, port });
    // A port where nobody listens: refused on this machine, without a packet to the address.
    return connect({ host: "127.0.0.1", port: 1 });
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
  }

  async close(): Promise<void> {
    for (const server of [this.#house, this.#front]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
