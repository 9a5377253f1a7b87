import { fileURLToPath } from "node:url";
import { type Duration, ToolrigError } from "@toolrig/core";
import {
  type Checks,
  declareOptions,
  isRecord,
  type OptionTable,
  option,
  parseDuration,
} from "@toolrig/core/kit";
import type { FleetView } from "../fleet-view.ts";
import type { DeniedRequest } from "../security/denied-log.ts";
import { hostnameOf, isLoopback, LOOPBACK_NAMES } from "../security/host.ts";
import type { RateLimit } from "../security/rate-limit.ts";
import { type ServerToken, type TokenSource, tokenOptions } from "../security/token.ts";

export interface ServerLimits {
  /** The largest body of a request, in bytes. Default 1,048,576. */
  body?: number;
  /** How long the headers of a request may take to arrive. Default "10s". */
  headerTimeout?: Duration;
  /** How long a whole request may take to arrive. Default "30s". */
  requestTimeout?: Duration;
  /** How long a connection may be idle between requests. Default "30s". */
  idleTimeout?: Duration;
  /** Connections at once. Default 1,000. */
  connections?: number;
  /** Calls under way at once that came over HTTP. Default 256. */
  calls?: number;
  /** Calls that wait for one of those to end; more are refused with 503. Default 256. */
  queue?: number;
  /** How long a call waits there before it is refused. Default "5s". */
  queueTimeout?: Duration;
  /** Runs under way in the process; while there are so many, none is started over HTTP. Default 64. */
  runs?: number;
  /** Readers of the feed at once. Default 100. */
  streams?: number;
  /** Requests of each principal with a token: so many in so long. Default 6,000 in "1m". */
  rate?: { limit: number; per: Duration };
}

export interface ServeOptions {
  /** 0 for a free one. Default 7420. */
  port?: number;
  /** The address to listen on. Where others can reach it, `tokens` are needed. Default "127.0.0.1". */
  host?: string;
  /** Names that it is reached by, besides loopback's and `host`. */
  names?: readonly string[];
  /** Origins ("https://app.example.com") of other pages that may come. Default: none. */
  origins?: readonly string[];
  /** Who may come and what they may. Absent: everybody on this machine may do everything. */
  tokens?: readonly ServerToken[] | TokenSource;
  limits?: ServerLimits;
  /** What the server calls itself. Default "0". */
  version?: string;
  /** The folder of the console's built files, or false for none. Default: the one that comes with this package. */
  console?: string | false;
  /** Whether MCP clients are served at /mcp. Default true. */
  mcp?: boolean;
  /** Whether calls run by themselves that were approved after the process that asked had died. Default false: the inbox lists them. */
  runApproved?: boolean;
  /** A scripted agent, started on a button. */
  demo?: { start(): Promise<string> };
  fleet?: FleetView;
  /** Told of requests that were refused, those alike counted together. */
  onDenied?: (denied: DeniedRequest) => void;
  /** Told of what went wrong here. Default: nobody is. */
  onError?: (error: Error) => void;
}

const TOKENS = "a list of tokens, or a source of some";

const rateOptions = declareOptions("limits.rate", {
  limit: option.count(1, { required: true }),
  per: option.duration({ long: true, required: true }),
} satisfies OptionTable<NonNullable<ServerLimits["rate"]>>);

const limitOptions = declareOptions("limits of a server", {
  body: option.count(1_000, { default: 1_048_576 }),
  headerTimeout: option.duration({ default: "10s" }),
  requestTimeout: option.duration({ default: "30s" }),
  idleTimeout: option.duration({ default: "30s" }),
  connections: option.count(1, { default: 1_000 }),
  calls: option.count(1, { default: 256 }),
  queue: option.count(0, { default: 256 }),
  queueTimeout: option.duration({ default: "5s" }),
  runs: option.count(1, { default: 64 }),
  streams: option.count(1, { default: 100 }),
  rate: option.group(rateOptions, { default: { limit: 6_000, per: "1m" } }),
} satisfies OptionTable<ServerLimits>);

const ORIGIN = /^https?:\/\/[^\s/?#@*]+$/i;

const serveOptions = declareOptions("serve", {
  port: option.count(0, { most: 65_535, default: 7420 }),
  host: option.text({ default: "127.0.0.1" }),
  names: option.listOf(
    'a list of names without port, such as ["tools.example.com"]',
    option.that<string>('a name without port, such as "tools.example.com"', isHostName),
    { default: [] },
  ),
  origins: option.listOf(
    'a list of origins, such as ["https://app.example.com"]',
    option.that<string>(
      'an origin such as "https://app.example.com"',
      (value) => typeof value === "string" && ORIGIN.test(value),
    ),
    { default: [] },
  ),
  tokens: option.checked(TOKENS, checkTokens),
  limits: option.group(limitOptions),
  version: option.text({ default: "0" }),
  console: option.that(
    "a folder, or false for no console",
    (value) => value === false || (typeof value === "string" && value.trim() !== ""),
  ),
  mcp: option.flag({ default: true }),
  runApproved: option.flag({ default: false }),
  demo: option.part("a demo with a method start", ["start"]),
  fleet: option.part("a fleet", ["workers", "queues", "deadLetters", "retryDeadLetter", "dropDeadLetter"]),
  onDenied: option.callback(),
  onError: option.callback(),
} satisfies OptionTable<ServeOptions>);

/** Options with their defaults. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Names without port under which requests may come. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly tokens: TokenSource | undefined;
  readonly limits: {
    readonly body: number;
    readonly headerMs: number;
    readonly requestMs: number;
    readonly idleMs: number;
    readonly connections: number;
    readonly calls: number;
    readonly queue: number;
    readonly queueMs: number;
    readonly runs: number;
    readonly streams: number;
    readonly rate: RateLimit;
  };
  readonly version: string;
  readonly console: string | undefined;
  readonly mcp: boolean;
  readonly runApproved: boolean;
  readonly demo: ServeOptions["demo"];
  readonly fleet: FleetView | undefined;
  readonly onDenied: (denied: DeniedRequest) => void;
  readonly onError: (error: Error) => void;
}

/** Returns the folder into which the build puts the console. */
function builtConsole(): string {
  return fileURLToPath(new URL("../../console/", import.meta.url));
}

/** Throws `OPTION_INVALID`, naming the option. */
export function settingsFrom(options: ServeOptions): Settings {
  const { host, names, origins, console = builtConsole(), ...given } = serveOptions.withDefaults(options);
  const tokens = tokensFrom(given.tokens);
  if (tokens === undefined && !isLoopback(host))
    throw new ToolrigError(
      "OPTION_INVALID",
      `host ${host} lets others come: give tokens. "toolrig token new" makes one.`,
    );
  return {
    port: given.port,
    host,
    hosts: hostsFrom(host, names),
    origins: origins.map((each) => each.toLowerCase()),
    tokens,
    limits: limitsFrom(given.limits),
    version: given.version,
    console: console === false ? undefined : console,
    mcp: given.mcp,
    runApproved: given.runApproved,
    demo: given.demo,
    fleet: given.fleet,
    onDenied: given.onDenied ?? (() => {}),
    onError: given.onError ?? (() => {}),
  };
}

function checkTokens(field: string, tokens: unknown, checks: Checks): void {
  if (isRecord(tokens) && "current" in tokens) {
    checks.has(field, tokens, ["current"], TOKENS);
    return;
  }
  checks.list(field, tokens, TOKENS);
  const list = tokens as readonly unknown[];
  if (list.length === 0)
    throw checks.invalid(field, "a list of at least one token; leave it out to let everybody in", tokens);
  for (const [index, token] of list.entries()) tokenOptions.check(token, `${field}[${index}]`, checks);
}

function tokensFrom(tokens: ServeOptions["tokens"]): TokenSource | undefined {
  if (tokens === undefined || "current" in tokens) return tokens;
  const copy = [...tokens];
  return { current: () => copy };
}

function isHostName(value: unknown): boolean {
  return typeof value === "string" && !/:\d*$/.test(value) && hostnameOf(value) !== undefined;
}

/** An address that stands for all of a machine is no name of it. */
const EVERYWHERE = new Set(["0.0.0.0", "::", "[::]"]);

function hostsFrom(host: string, names: readonly string[]): readonly string[] {
  const own = EVERYWHERE.has(host) ? [] : [hostnameOf(host.includes(":") ? `[${host}]` : host) ?? host];
  return [...LOOPBACK_NAMES, ...own, ...names.map((name) => hostnameOf(name) ?? name)];
}

function limitsFrom(given: ServerLimits = {}): Settings["limits"] {
  const { headerTimeout, requestTimeout, idleTimeout, queueTimeout, rate, ...counts } =
    limitOptions.withDefaults(given);
  return {
    ...counts,
    headerMs: parseDuration(headerTimeout, "limits.headerTimeout"),
    requestMs: parseDuration(requestTimeout, "limits.requestTimeout"),
    idleMs: parseDuration(idleTimeout, "limits.idleTimeout"),
    queueMs: parseDuration(queueTimeout, "limits.queueTimeout"),
    rate: { limit: rate.limit, perMs: parseDuration(rate.per, "limits.rate.per") },
  };
}
