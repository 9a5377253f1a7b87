const JSON_TYPE = { "content-type": "application/json" };

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...JSON_TYPE, ...headers } });
}

/** Done, and nothing to say. */
export function done(): Response {
  return new Response(null, { status: 204 });
}
