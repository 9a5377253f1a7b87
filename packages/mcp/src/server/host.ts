/** A name or an address and perhaps a port: nothing that a URL would take for something else. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Without port, in lower case; undefined for what is no host. */
export function hostnameOf(host: string): string | undefined {
  if (!HOST.test(host)) return undefined;
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}
