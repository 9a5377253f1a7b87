import type { Duration } from "@toolrig/core";
import { check, checksFor, settingsOf } from "@toolrig/core/kit";
import { type Limits, limitsOf } from "../defence/limits.ts";

/** How a server is reached: a program that is started here, or an address. The names are those of `.mcp.json`. */
export interface ConnectionOptions {
  /** The program to start. It is started without a shell. */
  command?: string;
  args?: readonly string[];
  /** Variables for the program, beside the few harmless ones that it gets anyway. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** The address of a server that speaks streamable HTTP. */
  url?: string;
  /** Sent with every request to `url`, and nowhere else. */
  headers?: Readonly<Record<string, string>>;
  /** How this side shows who it is, for servers that ask for OAuth. Default: as a public client, when asked. */
  auth?: AuthOptions | false;
  /** Whose credentials are used. Tokens are kept by principal and connection. Default "operator". */
  principal?: string;
  /** "annotations": what the server says of its tools' safety counts. Default "none": it can only make them more careful. */
  trust?: "none" | "annotations";
  /** The server's own names of the tools that are registered. Default: all. */
  allow?: readonly string[];
  /** Limit of one call. Default "10m". */
  timeout?: Duration;
  /** Limit of silence: reset by each progress notification. Default "60s". */
  idleTimeout?: Duration;
  /** Limit of connecting and of reading the list of tools. Default "30s". */
  connectTimeout?: Duration;
  /** The protocol's era: "2025" is the one with a handshake. Default "auto", and what was found is remembered. */
  era?: "auto" | Era;
  limits?: Partial<Limits>;
}

export type Era = "2025" | "2026";

export interface AuthOptions {
  /** The address of this client's metadata document, for servers that know clients by it. */
  clientMetadataUrl?: string;
  /** Of a client that was registered beforehand. */
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  /** Where a browser brings the answer on this machine. Default: any free port. */
  callbackPort?: number;
}

/** A connection's options, checked and complete. */
export interface Server extends Omit<ConnectionOptions, "limits"> {
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly principal: string;
  readonly era: "auto" | Era;
}

const SETTINGS = settingsOf<ConnectionOptions>({
  command: true,
  args: true,
  env: true,
  cwd: true,
  url: true,
  headers: true,
  auth: true,
  principal: true,
  trust: true,
  allow: true,
  timeout: true,
  idleTimeout: true,
  connectTimeout: true,
  era: true,
  limits: true,
});
const AUTH_SETTINGS = settingsOf<AuthOptions>({
  clientMetadataUrl: true,
  clientId: true,
  clientSecret: true,
  scope: true,
  callbackPort: true,
});

/** Throws `OPTION_INVALID`, naming what is wrong with the connection. */
export function checkConnection(name: string, options: ConnectionOptions): Server {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name))
    throw check.invalid("The name of a connection", "1 to 40 letters, digits, _ and -", name);
  const checks = checksFor({ where: `Connection "${name}": ` });
  checks.object("options", options, "{ command, args } or { url }");
  checks.known("A connection", options, SETTINGS);
  const { command, args, env, cwd, url, headers, auth, allow, principal } = options;
  if ((command === undefined) === (url === undefined))
    throw checks.invalid(
      "It",
      "given a command or a url, and not both",
      command === undefined ? undefined : url,
    );
  if (command !== undefined) checks.string("command", command);
  if (url !== undefined) checkUrl(checks, url);
  if (args !== undefined) checks.strings("args", args, "a list of strings");
  if (allow !== undefined) checks.strings("allow", allow, "a list of the server's own names of tools");
  if (principal !== undefined) checks.string("principal", principal);
  if (cwd !== undefined) checks.string("cwd", cwd);
  checkStrings(checks, "env", env, VARIABLE);
  checkStrings(checks, "headers", headers, HEADER);
  const others = url === undefined ? OF_URL : OF_PROGRAM;
  const isGiven = (value: unknown) => Object.keys(Object(value)).length > 0;
  const [strange] =
    Object.entries(options).find(([field, value]) => others.has(field) && isGiven(value)) ?? [];
  if (strange !== undefined)
    throw checks.invalid(
      strange,
      `left out of a connection with a ${url === undefined ? "command" : "url"}`,
      "it",
    );
  if ([command, cwd, ...(args ?? [])].some((text) => text?.includes("\0")))
    throw checks.invalid("command, args and cwd", "texts without a zero byte", "one");
  checks.oneOf("trust", options.trust, ["none", "annotations"]);
  checks.oneOf("era", options.era, ["auto", "2025", "2026"]);
  if (auth !== undefined && auth !== false) {
    checks.known("auth", auth, AUTH_SETTINGS);
    checks.count("auth.callbackPort", auth.callbackPort);
  }
  return {
    ...options,
    timeoutMs: checks.timeout("timeout", options.timeout ?? "10m"),
    idleTimeoutMs: checks.timeout("idleTimeout", options.idleTimeout ?? "60s"),
    connectTimeoutMs: checks.timeout("connectTimeout", options.connectTimeout ?? "30s"),
    principal: principal ?? "operator",
    era: options.era ?? "auto",
    limits: limitsOf(options.limits, checks),
  };
}

type Checks = ReturnType<typeof checksFor>;

function checkUrl(checks: Checks, url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!isHttp) throw checks.invalid("url", "an http or https address", url);
  if (parsed.username !== "" || parsed.password !== "")
    throw checks.invalid("url", "without a user and a password: give them in headers", `${parsed.origin}/…`);
}

const OF_PROGRAM: ReadonlySet<string> = new Set(["args", "env", "cwd"]);
const OF_URL: ReadonlySet<string> = new Set(["headers", "auth"]);

/** What names and values may be made of: anything else would be refused, or read as something else, when it is used. */
interface Pair {
  name: RegExp;
  value: RegExp;
  what: string;
}

const VARIABLE: Pair = { name: /^[^=\0]+$/, value: /^[^\0]*$/, what: "a variable and its value" };
const HEADER: Pair = {
  name: /^[\w!#$%&'*+.^`|~-]+$/,
  value: /^[\t -~\x80-\xff]*$/,
  what: "a header and its value",
};

function checkStrings(checks: Checks, field: string, values: unknown, { name, value, what }: Pair): void {
  if (values === undefined) return;
  checks.object(field, values, "an object of strings");
  for (const [key, given] of Object.entries(values as object)) {
    if (typeof given !== "string") throw checks.invalid(`${field}.${key}`, "a string", given);
    if (!name.test(key) || !value.test(given))
      throw checks.invalid(`${field}.${key}`, what, "something else");
  }
}

/** What people are shown of where a connection goes: whole, and without what is secret in `env` and `headers`. */
export function shownTarget({ command, args = [], url }: ConnectionOptions): string {
  if (url !== undefined) return url;
  return [command ?? "", ...args]
    .map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part)))
    .join(" ");
}
