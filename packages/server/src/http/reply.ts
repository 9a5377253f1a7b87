/** An answer before it is sent. A `Response` is made of it only where somebody wants one: most are written as they are. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** What every answer has. */
const ALWAYS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};
const JSON_HEADERS = { "content-type": "application/json", ...ALWAYS };

export function reply(
  body: Reply["body"],
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Reply {
  return { status, headers: { ...ALWAYS, ...headers }, body };
}

export function json(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(value),
  };
}

/** Done, and nothing to say. */
export function done(): Reply {
  return reply(null, { status: 204 });
}

export function responseOf({ status, headers, body }: Reply): Response {
  return new Response(body, { status, headers });
}
