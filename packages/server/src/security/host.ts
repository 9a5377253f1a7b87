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
