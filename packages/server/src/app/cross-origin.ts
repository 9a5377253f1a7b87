const SENT =
  "authorization, content-type, idempotency-key, last-event-id, prefer, range, traceparent, tracestate";
const SENT_TO_MCP = "mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";

/** What a page of another origin needs to be told, that may come. */
export function allowing(response: Response, origin: string): void {
  const { headers } = response;
  headers.set("access-control-allow-origin", origin);
  headers.set("vary", "origin");
  headers.set(
    "access-control-expose-headers",
    "content-range, location, mcp-session-id, retry-after, toolrig-feed-id",
  );
  headers.set("cross-origin-resource-policy", "cross-origin");
  if (response.status !== 204) return;
  headers.set("access-control-allow-methods", "GET, POST, PUT, DELETE");
  headers.set("access-control-allow-headers", `${SENT}, ${SENT_TO_MCP}`);
  headers.set("access-control-max-age", "600");
}
