import type { Arrival } from "../http/arrival.ts";
import { RequestProblem } from "../http/problem.ts";

export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** A name or an address and perhaps a port: nothing that a URL would take for something else. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Without port, in lower case; undefined for what is no host, or another than is written. */
export function hostnameOf(host: string): string | undefined {
  if (!HOST.test(host)) return undefined;
  const { hostname } = URL.parse(`http://${host}`) ?? {};
  return hostname === host.replace(/:\d+$/, "").toLowerCase() ? hostname : undefined;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Lets requests in that come under a name of this server, and from its own pages or those of given origins. */
export class HostCheck {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: readonly string[];
  /** A Host that was let in before is let in again. */
  #lastHost: string | undefined;

  constructor(hosts: readonly string[], origins: readonly string[]) {
    this.#hosts = new Set(hosts);
    this.#origins = origins;
  }

  /** Throws a problem for another Host or Origin. Returns the origin of another page that may come. */
  check(arrival: Arrival): string | undefined {
    const host = arrival.header("host") ?? "";
    if (host !== this.#lastHost) {
      const name = hostnameOf(host);
      if (name === undefined || !this.#hosts.has(name))
        throw new RequestProblem(
          "HOST_NOT_SERVED",
          "Requests must come under a name of this server. Others are named by --names.",
          { close: true },
        );
      this.#lastHost = host;
    }
    const origin = arrival.header("origin");
    if (origin === undefined) {
      const site = arrival.header("sec-fetch-site");
      if (site === "cross-site" || site === "same-site") throw foreignPage();
      return undefined;
    }
    if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
    if (this.#origins.includes(origin.toLowerCase())) return origin;
    throw foreignPage();
  }
}

function foreignPage(): RequestProblem {
  return new RequestProblem(
    "ORIGIN_NOT_ALLOWED",
    "Pages of other origins may not come here. Those that may are named by --origins.",
  );
}
