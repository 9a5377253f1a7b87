import type { Duration } from "@toolrig/core";
import {
  type AllowedHosts,
  allowedHosts,
  check,
  declareOptions,
  type OptionTable,
  option,
  parseDuration,
} from "@toolrig/core/kit";

export interface HttpOptions {
  /** Hosts that may be reached although they are not public, each with or without a port: "api.internal", "127.0.0.1:8080". */
  allow?: readonly string[];
  /** Headers, such as credentials, for the requests to an origin: `{ "https://api.example.com": { authorization: "…" } }`. */
  headers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How long a request may take, with its redirects and its body. Default "30s". */
  timeout?: Duration;
  /** How many bytes of an answer are read, unpacked. Default 2,000,000. */
  maxBytes?: number;
}

export interface HttpSettings {
  allow: AllowedHosts;
  credentials: ReadonlyMap<string, Readonly<Record<string, string>>>;
  timeoutMs: number;
  maxBytes: number;
}

const TABLE = {
  allow: option.strings("a list of hosts"),
  headers: option.object("an object of headers by origin"),
  timeout: option.duration({ default: "30s" }),
  maxBytes: option.count(1, { default: 2_000_000 }),
} satisfies OptionTable<HttpOptions>;

const httpOptions = {
  fetchUrl: declareOptions("fetchUrl", TABLE),
  sendRequest: declareOptions("sendRequest", TABLE),
  webSearch: declareOptions("webSearch", TABLE),
};

export function checkHttpOptions(owner: keyof typeof httpOptions, options: HttpOptions): HttpSettings {
  const { allow, headers = {}, timeout, maxBytes } = httpOptions[owner].withDefaults(options);
  return {
    allow: allowedHosts(allow),
    credentials: credentialsOf(headers),
    timeoutMs: parseDuration(timeout, "timeout"),
    maxBytes,
  };
}

function credentialsOf(headers: NonNullable<HttpOptions["headers"]>): HttpSettings["credentials"] {
  const byOrigin = new Map<string, Record<string, string>>();
  for (const [origin, given] of Object.entries(headers)) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw check.invalid("headers", 'keyed by origins such as "https://api.example.com"', origin);
    check.object(`headers["${origin}"]`, given, "an object of headers");
    const lowered = Object.entries(given).map(([name, value]) => {
      if (typeof value !== "string") throw check.invalid(`headers["${origin}"].${name}`, "a string", value);
      return [name.toLowerCase(), value];
    });
    byOrigin.set(origin, Object.fromEntries(lowered) as Record<string, string>);
  }
  return byOrigin;
}
