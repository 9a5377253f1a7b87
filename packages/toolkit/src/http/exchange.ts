import type { Readable } from "node:stream";
import { failure, ToolFailure, transient, validation } from "@toolrig/core";
import { type AllowedHosts, type Destination, destinationOf } from "@toolrig/core/kit";
import { ACCEPTED_ENCODINGS, type Body, readBody } from "./body.ts";
import { addressesOf, connectTo, type Network } from "./network.ts";

export interface HttpRequest {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface HttpResponse {
  /** Of the last request, behind all redirects. */
  url: URL;
  status: number;
  contentType: string;
  body: Body;
  /** Where a redirect that was not followed leads. */
  location?: string;
  /** Every URL that was asked, the first one first. */
  hops: readonly string[];
}

export interface ExchangeOptions {
  allow: AllowedHosts;
  network: Network;
  signal: AbortSignal;
  /** Bytes of a body that are read, unpacked. */
  maxBytes: number;
  /** Headers of the owner's, by origin: no other origin gets them. */
  credentials: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** "same-origin": what was sent stays with whom it was sent to. */
  follow: "all" | "same-origin";
  /** Told of each request once it is connected, before its first byte is written: from then on it may have arrived. */
  onSend?(method: string, url: URL): void;
}

const MAX_REDIRECTS = 5;
/** Characters of a redirect that is not followed. */
const MAX_SHOWN = 2_000;
const USER_AGENT = "toolrig";

/** Asks a server, and whom it redirects to, each judged as the first. Rejects with a failure if one may not be reached. */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const hops: string[] = [];
  let { method, headers, body } = request;
  let destination = destinationOf(request.url, options.allow);
  for (;;) {
    hops.push(destination.url.href);
    const answer = await ask(destination, { url: destination.url.href, method, headers, body }, options);
    const { location, ...rest } = answer;
    if (location === undefined) return { ...rest, url: destination.url, hops };
    const target = URL.parse(location, destination.url);
    const same = target?.origin === destination.url.origin;
    if (!same && options.follow === "same-origin") {
      const shown = (target?.href ?? location).slice(0, MAX_SHOWN);
      return { ...rest, url: destination.url, hops, location: shown };
    }
    const next = destinationOf(location, options.allow, destination.url);
    if (hops.length > MAX_REDIRECTS)
      throw failure(`${request.url.slice(0, 200)} redirects more than ${MAX_REDIRECTS} times.`);
    if (!same) headers = {};
    if (answer.status === 303 || (answer.status < 303 && method === "POST")) {
      if (method !== "HEAD") method = "GET";
      body = undefined;
    }
    destination = next;
  }
}

type Answer = Omit<HttpResponse, "url" | "hops">;

async function ask(
  destination: Destination,
  request: HttpRequest,
  options: ExchangeOptions,
): Promise<Answer> {
  const { signal, network, credentials, maxBytes } = options;
  const { url } = destination;
  // Undici is 110 modules: they load with the first request.
  const [addresses, { Client }] = await interruptible(
    Promise.all([addressesOf(destination, network), import("undici")]),
    signal,
  );
  const client = new Client(url.origin, {
    connect: (_, callback) => {
      connectTo(destination, addresses, network, signal).then(
        (socket) => {
          options.onSend?.(request.method, url);
          callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    maxHeaderSize: 32_768,
    pipelining: 0,
  });
  try {
    const response = await client.request({
      path: `${url.pathname}${url.search}`,
      method: request.method as "GET",
      headers: {
        "user-agent": USER_AGENT,
        accept: "text/html, text/*, application/json;q=0.9, */*;q=0.1",
        "accept-encoding": ACCEPTED_ENCODINGS,
        ...lowered(request.headers),
        ...credentials.get(url.origin),
      },
      body: request.body ?? null,
      signal,
    });
    return await answerOf(response, maxBytes);
  } catch (error) {
    throw failureOf(error, destination, signal);
  } finally {
    // Also what still arrives: nobody reads it any more.
    void client.destroy().catch(() => {});
  }
}

interface Response {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

async function answerOf({ statusCode: status, headers, body }: Response, maxBytes: number): Promise<Answer> {
  const header = (name: string) => [headers[name]].flat()[0] ?? "";
  const contentType = header("content-type");
  if ([301, 302, 303, 307, 308].includes(status) && header("location") !== "") {
    body.on("error", () => {});
    body.destroy();
    const location = header("location");
    return { status, contentType, body: { bytes: Buffer.alloc(0), cut: false }, location };
  }
  return { status, contentType, body: await readBody(body, header("content-encoding"), maxBytes) };
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function interruptible<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function failureOf(error: unknown, { host }: Destination, signal: AbortSignal): unknown {
  if (ToolFailure.isInstance(error) || signal.aborted) return error;
  const { code = "", message = String(error) } = error as { code?: string; message?: string };
  if (code === "UND_ERR_INVALID_ARG") return validation(`The request is not valid: ${message}.`);
  if (code.startsWith("Z_") || code.startsWith("ERR_") || code.startsWith("HPE_"))
    return failure(`What ${host} answered cannot be read: ${message}.`);
  return transient(`The connection to ${host} failed: ${message}.`);
}
