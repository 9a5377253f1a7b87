import { fileURLToPath } from "node:url";
import { type Duration, ToolrigError } from "@toolrig/core";
import { check, parseDuration, settingsOf } from "@toolrig/core/kit";
import type { FleetView } from "../fleet-view.ts";
import type { DeniedRequest } from "../security/denied-log.ts";
import { hostnameOf, isLoopback, LOOPBACK_NAMES } from "../security/host.ts";
import type { RateLimit } from "../security/rate-limit.ts";
import { checkToken, type ServerToken, type TokenSource } from "../security/token.ts";

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

const LIMITS = settingsOf<ServerLimits>({
  body: true,
  headerTimeout: true,
  requestTimeout: true,
  idleTimeout: true,
  connections: true,
  calls: true,
  queue: true,
  queueTimeout: true,
  runs: true,
  streams: true,
  rate: true,
});
const SETTINGS = settingsOf<ServeOptions>({
  port: true,
  host: true,
  names: true,
  origins: true,
  tokens: true,
  limits: true,
  version: true,
  console: true,
  mcp: true,
  runApproved: true,
  demo: true,
  fleet: true,
  onDenied: true,
  onError: true,
});

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

const FLEET = ["workers", "queues", "deadLetters", "retryDeadLetter", "dropDeadLetter"];
/** Where the build puts the console. */
const CONSOLE = fileURLToPath(new URL("../../console/", import.meta.url));

/** Throws `OPTION_INVALID`, naming the option. */
export function settingsFrom(options: ServeOptions): Settings {
  check.known("serve", options, SETTINGS);
  const { port = 7420, host = "127.0.0.1", version = "0", mcp = true, console = CONSOLE } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw check.invalid("port", "a whole number from 0 to 65535", port);
  check.string("host", host);
  check.string("version", version);
  check.flag("mcp", mcp);
  const { runApproved = false } = options;
  check.flag("runApproved", runApproved);
  if (console !== false) check.string("console", console);
  const { demo, fleet, onDenied = () => {}, onError = () => {} } = options;
  check.has("demo", demo, ["start"], "a demo with a method start");
  check.has("fleet", fleet, FLEET, "a fleet");
  check.function("onDenied", onDenied);
  check.function("onError", onError);
  const tokens = tokensFrom(options.tokens);
  if (tokens === undefined && !isLoopback(host))
    throw new ToolrigError(
      "OPTION_INVALID",
      `host ${host} lets others come: give tokens. "toolrig token new" makes one.`,
    );
  return {
    port,
    host,
    hosts: hostsFrom(host, options.names),
    origins: originsFrom(options.origins),
    tokens,
    limits: limitsFrom(options.limits ?? {}),
    version,
    console: console === false ? undefined : console,
    mcp,
    runApproved,
    demo,
    fleet,
    onDenied,
    onError,
  };
}

function tokensFrom(tokens: ServeOptions["tokens"]): TokenSource | undefined {
  if (tokens === undefined) return undefined;
  if ("current" in tokens) {
    check.has("tokens", tokens, ["current"], "a list of tokens, or a source of some");
    return tokens;
  }
  check.list("tokens", tokens, "a list of tokens, or a source of some");
  if (tokens.length === 0)
    throw check.invalid("tokens", "a list of at least one token; leave it out to let everybody in", tokens);
  const checked = tokens.map((token, index) => checkToken(`tokens[${index}]`, token));
  return { current: () => checked };
}

/** An address that stands for all of a machine is no name of it. */
const EVERYWHERE = new Set(["0.0.0.0", "::", "[::]"]);

function hostsFrom(host: string, names: readonly string[] = []): readonly string[] {
  const expected = 'names without port, such as "tools.example.com"';
  const checked = check.strings("names", names, expected).map((name, index) => {
    const found = /:\d*$/.test(name) ? undefined : hostnameOf(name);
    if (found === undefined) throw check.invalid(`names[${index}]`, expected, name);
    return found;
  });
  const own = EVERYWHERE.has(host) ? [] : [hostnameOf(host.includes(":") ? `[${host}]` : host) ?? host];
  return [...LOOPBACK_NAMES, ...own, ...checked];
}

const ORIGIN = /^https?:\/\/[^\s/?#@*]+$/;

function originsFrom(origins: readonly string[] = []): readonly string[] {
  const expected = 'origins such as "https://app.example.com"';
  return check.strings("origins", origins, expected).map((each, index) => {
    const origin = each.toLowerCase();
    if (!ORIGIN.test(origin)) throw check.invalid(`origins[${index}]`, expected, each);
    return origin;
  });
}

function limitsFrom(limits: ServerLimits): Settings["limits"] {
  check.known("limits", limits, LIMITS);
  const { rate = { limit: 6_000, per: "1m" } } = limits;
  check.known("limits.rate", rate, ["limit", "per"]);
  return {
    body: check.count("limits.body", limits.body, 1_000) ?? 1_048_576,
    headerMs: check.timeout("limits.headerTimeout", limits.headerTimeout ?? "10s"),
    requestMs: check.timeout("limits.requestTimeout", limits.requestTimeout ?? "30s"),
    idleMs: check.timeout("limits.idleTimeout", limits.idleTimeout ?? "30s"),
    connections: check.count("limits.connections", limits.connections) ?? 1_000,
    calls: check.count("limits.calls", limits.calls) ?? 256,
    queue: check.count("limits.queue", limits.queue, 0) ?? 256,
    queueMs: check.timeout("limits.queueTimeout", limits.queueTimeout ?? "5s"),
    runs: check.count("limits.runs", limits.runs) ?? 64,
    streams: check.count("limits.streams", limits.streams) ?? 100,
    rate: {
      limit: check.count("limits.rate.limit", rate.limit),
      perMs: parseDuration(rate.per, "limits.rate.per"),
    },
  };
}
