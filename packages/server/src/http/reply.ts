/** What every answer has. */
const ALWAYS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};
const JSON_HEADERS = { "content-type": "application/json", ...ALWAYS };

/** An answer. Headers are given here and not added later: a response that is only made is written faster. */
export function reply(
  body: BodyInit | null,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Response {
  return new Response(body, { status, headers: { ...ALWAYS, ...headers } });
}

export function json(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
  });
}

/** Done, and nothing to say. */
export function done(): Response {
  return reply(null, { status: 204 });
}
