const SENT =
  "authorization, content-type, idempotency-key, last-event-id, prefer, range, traceparent, tracestate";
const SENT_TO_MCP = "mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";

/** What a page of another origin needs to be told, that may come. */
export function allowing(origin: string, status: number): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    vary: "origin",
    "access-control-expose-headers": "content-range, location, mcp-session-id, retry-after, toolrig-feed-id",
    "cross-origin-resource-policy": "cross-origin",
    ...(status === 204 && {
      "access-control-allow-methods": "GET, POST, PUT, DELETE",
      "access-control-allow-headers": `${SENT}, ${SENT_TO_MCP}`,
      "access-control-max-age": "600",
    }),
  };
}
