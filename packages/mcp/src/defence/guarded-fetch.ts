import { denied, failure } from "@toolrig/core";
import { type AllowedHosts, destinationOf } from "@toolrig/core/kit";
import { fetch as undiciFetch } from "undici";
import { cappedBody } from "./capped-body.ts";
import { guardedAgent } from "./guarded-agent.ts";

export interface GuardedFetchOptions {
  /** The address that the operator configured. It may be anywhere; what a server names may not. */
  url?: string | undefined;
  /** Sent to the origin of `url` and to no other. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Bytes of one answer of the configured server, and of one event of its streams. */
  maxBytes: number;
}

export interface GuardedFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Closes all connections, also those in use. */
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;
/** For answers from elsewhere, which are documents and nothing else: metadata, keys, tokens. */
const ELSEWHERE = { timeoutMs: 15_000, maxBytes: 1_000_000 };
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** What may be said to another origin than the one it was meant for. */
const HARMLESS: readonly string[] = ["accept", "accept-language", "mcp-protocol-version", "user-agent"];

/**
 * A `fetch` for addresses that a server may have chosen. Only what the operator configured may be on this machine or its network;
 * names are judged by the addresses they stand for when the connection is made, and redirects as the first address was. Rejects with
 * a failure that says why something is not fetched, before a byte of it was sent.
 */
export function guardedFetch({ url, headers = {}, maxBytes }: GuardedFetchOptions): GuardedFetch {
  const configured = url === undefined ? undefined : new URL(url);
  const allow = allowedBy(configured);
  const agent = guardedAgent(allow);
  const isOwn = (target: URL) => target.origin === configured?.origin;

  async function guarded(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    let { url: target } = destinationOf(input instanceof Request ? input.url : String(input), allow);
    const request = new Request(input, init);
    const { signal } = request;
    let { method } = request;
    let sent = request.headers;
    let body = request.body === null ? undefined : await request.arrayBuffer();
    for (let hops = 0; ; hops += 1) {
      const own = isOwn(target);
      const limit = own ? maxBytes : ELSEWHERE.maxBytes;
      const until = own ? signal : AbortSignal.any([signal, AbortSignal.timeout(ELSEWHERE.timeoutMs)]);
      const all = new Headers(sent);
      if (own) for (const [name, value] of Object.entries(headers)) if (!all.has(name)) all.set(name, value);
      const response = await ask(target, { method, headers: all, body, signal: until });
      const location = REDIRECTS.includes(response.status) ? response.headers.get("location") : null;
      if (location === null) return cappedBody(response, limit, own);
      void response.body?.cancel().catch(() => {});
      if (hops >= MAX_REDIRECTS)
        throw failure(`${target.origin} redirects more than ${MAX_REDIRECTS} times.`);
      const next = destinationOf(location, allow, target).url;
      if (response.status === 303 || (response.status < 303 && method === "POST"))
        [method, body] = ["GET", undefined];
      if (next.origin !== target.origin) {
        if (body !== undefined)
          throw denied(
            `${target.origin} redirects what was sent to it to ${next.origin}: it is not sent there.`,
          );
        sent = new Headers([...sent].filter(([name]) => HARMLESS.includes(name)));
      }
      target = next;
    }
  }

  async function ask(target: URL, init: Omit<RequestInit, "body"> & { body: ArrayBuffer | undefined }) {
    try {
      // The two fetches have the same shape and separate types.
      const options = { ...init, body: init.body ?? null, redirect: "manual", dispatcher: agent } as object;
      return (await undiciFetch(target.href, options)) as unknown as Response;
    } catch (error) {
      throw (error as { cause?: { failure?: unknown } }).cause?.failure === undefined
        ? error
        : (error as Error).cause;
    }
  }

  return Object.assign(guarded, { close: () => agent.destroy() });
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** What the operator configured; and on this machine, whatever else of it the server names: it is there already. */
function allowedBy(configured: URL | undefined): AllowedHosts {
  if (configured === undefined) return [];
  const host = configured.hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "")
    .toLowerCase();
  if (LOOPBACK.includes(host)) return LOOPBACK.map((each) => ({ host: each, port: undefined }));
  const port =
    configured.port === "" ? (configured.protocol === "https:" ? 443 : 80) : Number(configured.port);
  return [{ host, port }];
}
