import type { Duration } from "@toolrig/core";
import {
  type Checks,
  check,
  checksFor,
  declareOptions,
  defined,
  type OptionTable,
  option,
  parseDuration,
} from "@toolrig/core/kit";
import { type Limits, limitOptions, limitsOf } from "../defence/limits.ts";

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
  /** What else of the server is offered to MCP clients in front. Default: all of it. */
  carry?: readonly Carry[];
  /** What the server may ask of the MCP client in front: answers of its model, its folders. Default: neither. */
  give?: readonly Give[];
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

/** What a server has beside tools. Completions come with prompts and resources. */
export type Carry = "instructions" | "prompts" | "resources";

/** What a client has that a server may be given. */
export type Give = "sampling" | "roots";

export const CARRIES = ["instructions", "prompts", "resources"] as const satisfies readonly Carry[];

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

const authOptions = declareOptions("auth", {
  clientMetadataUrl: option.text(),
  clientId: option.text(),
  clientSecret: option.anyText(),
  scope: option.anyText(),
  callbackPort: option.count(1, { most: 65_535 }),
} satisfies OptionTable<AuthOptions>);

const connectionOptions = declareOptions("an MCP connection", {
  command: option.checked("a program without a zero byte", checkWords),
  args: option.listOf("a list of strings", option.checked<string>("a string without a zero byte", checkWord)),
  env: option.checked("an object of strings", (field, value, checks) =>
    checkStrings(checks, field, value, VARIABLE),
  ),
  cwd: option.checked("a folder without a zero byte", checkWords),
  url: option.checked("an http or https address", checkUrl),
  headers: option.checked("an object of strings", (field, value, checks) =>
    checkStrings(checks, field, value, HEADER),
  ),
  auth: option.checked(`false, or { ${authOptions.names.join(", ")} }`, (field, value, checks) => {
    if (value !== false) authOptions.check(value, field, checks);
  }),
  principal: option.text({ default: "operator" }),
  trust: option.oneOf(["none", "annotations"], { default: "none" }),
  allow: option.strings("a list of the server's own names of tools"),
  carry: option.listOf("a list of what is offered on", option.oneOf(CARRIES)),
  give: option.listOf("a list of what the server may ask for", option.oneOf(["sampling", "roots"])),
  timeout: option.duration({ default: "10m" }),
  idleTimeout: option.duration({ default: "60s" }),
  connectTimeout: option.duration({ default: "30s" }),
  era: option.oneOf(["auto", "2025", "2026"], { default: "auto" }),
  limits: option.group(limitOptions),
} satisfies OptionTable<ConnectionOptions>);

/** Throws `OPTION_INVALID`, naming what is wrong with the connection. */
export function checkConnection(name: string, options: ConnectionOptions): Server {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name))
    throw check.invalid("The name of a connection", "1 to 40 letters, digits, _ and -", name);
  const checks = checksFor({ where: `Connection "${name}": ` });
  checks.object("options", options, "{ command, args } or { url }");
  connectionOptions.check(options, undefined, checks);
  checkTarget(options, checks);
  const { defaults } = connectionOptions;
  const { timeout, idleTimeout, connectTimeout, principal, era } = { ...defaults, ...defined(options) };
  return {
    ...options,
    timeoutMs: parseDuration(timeout, "timeout"),
    idleTimeoutMs: parseDuration(idleTimeout, "idleTimeout"),
    connectTimeoutMs: parseDuration(connectTimeout, "connectTimeout"),
    principal,
    era,
    limits: limitsOf(options.limits),
  };
}

/** A program or an address, and no option that belongs to the other. */
function checkTarget(options: ConnectionOptions, checks: Checks): void {
  const { command, url } = options;
  if ((command === undefined) === (url === undefined))
    throw checks.invalid(
      "It",
      "given a command or a url, and not both",
      command === undefined ? undefined : url,
    );
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
}

const OF_PROGRAM: ReadonlySet<string> = new Set(["args", "env", "cwd"]);
const OF_URL: ReadonlySet<string> = new Set(["headers", "auth"]);

function checkWord(field: string, value: unknown, checks: Checks): void {
  if (typeof value !== "string") throw checks.invalid(field, "a string", value);
  if (value.includes("\0")) throw checks.invalid(field, "a text without a zero byte", "one");
}

function checkWords(field: string, value: unknown, checks: Checks): void {
  checks.string(field, value);
  checkWord(field, value, checks);
}

function checkUrl(field: string, url: unknown, checks: Checks): void {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!isHttp) throw checks.invalid(field, "an http or https address", url);
  if (parsed.username !== "" || parsed.password !== "")
    throw checks.invalid(field, "without a user and a password: give them in headers", `${parsed.origin}/…`);
}

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
