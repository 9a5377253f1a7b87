const SCHEME = "toolrig://mcp/";
const OURS = /^toolrig:\/\/mcp\/([A-Za-z0-9][A-Za-z0-9_-]{0,39})\/(.+)$/s;

/**
 * A URI of a server, or a template of some, as clients in front know it: the connection stands before it, so that two servers cannot
 * collide, and it is read where it comes from.
 */
export function gatewayUri(connection: string, own: string): string {
  return `${SCHEME}${connection}/${own}`;
}

/** Characters of a URI that clients may ask for. */
const MAX_URI = 4_000;

/** The connection and its own URI behind one of ours. */
export function behindUri(uri: string): { connection: string; own: string } | undefined {
  if (uri.length > MAX_URI) return undefined;
  const [, connection, own] = OURS.exec(uri) ?? [];
  return connection === undefined || own === undefined ? undefined : { connection, own };
}
