import type { Duration } from "@toolrig/core";
import { type AllowedHosts, allowedHosts, check, settingsOf } from "@toolrig/core/kit";

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

const SETTINGS = settingsOf<HttpOptions>({ allow: true, headers: true, timeout: true, maxBytes: true });

export function checkHttpOptions(what: string, options: HttpOptions): HttpSettings {
  check.known(what, options, SETTINGS);
  return {
    allow: allowedHosts(options.allow),
    credentials: credentialsOf(options.headers ?? {}),
    timeoutMs: check.timeout("timeout", options.timeout ?? "30s"),
    maxBytes: check.count("maxBytes", options.maxBytes ?? 2_000_000),
  };
}

function credentialsOf(headers: NonNullable<HttpOptions["headers"]>): HttpSettings["credentials"] {
  check.object("headers", headers, "an object of headers by origin");
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
