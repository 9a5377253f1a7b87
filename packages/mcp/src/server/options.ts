import type { AnyTool, Duration, Principal, ToolSource, Waits } from "@toolrig/core";
import {
  type Checks,
  check,
  declareOptions,
  isToolSource,
  type OptionTable,
  option,
  parseDuration,
  principalOption,
} from "@toolrig/core/kit";
import { hostnameOf } from "./host.ts";
import type { ServedParts, ServedRig } from "./served-rig.ts";

/** What some clients may see and do. */
export interface McpView {
  /** Names of tools and providers, as an executor takes them. Default: every tool. */
  allow?: readonly string[];
  /** On whose behalf calls are made, where the token does not say. Default: `{ id: "mcp" }`. */
  principal?: Principal;
  /**
   * The person at the client. What they answer to an approval counts as theirs, so it must be somebody who may; without one,
   * nobody is asked for approvals through MCP, and such calls wait for an answer from elsewhere.
   */
  approver?: Principal;
  /**
   * For many tools: the client is offered a tool that searches them, made by this function (`findToolsTool` of Toolrig), and
   * `call_tool`, which calls one that was found. Every tool of the view can be called by its name as well.
   */
  search?: (tools: ToolSource) => AnyTool;
  /** Tools that are offered as prompts: the user picks them. They are not listed as tools. */
  prompts?: readonly string[];
  /** Resources that are read by calling a tool. Artifacts can be read without any being named here. */
  resources?: readonly McpResource[];
}

/** A resource, or with `{name}` in its URI a template of some: reading one calls the tool with what the names stand for. */
export interface McpResource {
  uri: string;
  /** The tool that is called. It is not listed as a tool. */
  tool: string;
  /** Default: the tool's name and description. */
  name?: string;
  description?: string;
  /** Default: that of the content, or "text/plain". */
  mimeType?: string;
}

/** A token that clients send, and what it is good for. */
export interface McpToken {
  /** SHA-256 of the token, in hex. */
  sha256: string;
  /** Default: that of `view`. */
  view?: string;
  /** On whose behalf calls are made. Default: the view's. */
  principal?: Principal;
  /** The person at the client. Default: the view's. */
  approver?: Principal;
}

export interface McpServerOptions {
  /** What clients are told it is called. Default "toolrig". */
  name?: string;
  /** Default "0". */
  version?: string;
  /** What models are told of it as a whole. */
  instructions?: string;
  /** Default: one view, "all", of every tool. */
  views?: Readonly<Record<string, McpView>>;
  /** The view of stdio, and of clients without a token that names one. Default: the first. */
  view?: string;
  /** Over HTTP, who may come. Absent: everybody who can reach it by a name of `hosts`. */
  tokens?: readonly McpToken[];
  /** Names (without port) under which HTTP requests may come. Default: those of loopback. */
  hosts?: readonly string[];
  /** Origins ("https://app.example.com") of pages that may send HTTP requests. Default: those of loopback, any port. */
  origins?: readonly string[];
  /** Seals what goes through clients. Processes that serve the same clients share it. Default: random. At least 32 bytes. */
  secret?: string | Uint8Array;
  /** How long a client may take to answer what a call asks for. Default "1h". */
  answerWithin?: Duration;
  /** Tasks of one principal in one view that are under way at once. Default 100. */
  maxTasks?: number;
  /** The largest message, in bytes. Default 4,194,304. */
  maxMessage?: number;
  /** Sessions of clients before 2026-07-28 over HTTP: at most so many, ended after so long without a request. Default 1,000, "30m". */
  maxSessions?: number;
  sessionIdle?: Duration;
  /** Told of what went wrong outside of calls: messages that cannot be read, clients that went away. Default: nobody is. */
  onError?: (error: Error) => void;
}

const HOSTS = 'names without port, such as "tools.example.com" or "[::1]"';
/** The form in which a browser sends an origin: no path, no wildcard. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i;
const LEAST_SECRET = 32;

const resourceOptions = declareOptions("a resource of an MCP server", {
  uri: option.text({ required: true }),
  tool: option.text({ required: true }),
  name: option.text(),
  description: option.text(),
  mimeType: option.text(),
} satisfies OptionTable<McpResource>);

const viewOptions = declareOptions("a view of an MCP server", {
  allow: option.strings("a list of names"),
  principal: principalOption(),
  approver: principalOption(),
  search: option.callback(),
  prompts: option.strings("names of tools"),
  resources: option.listOf("a list of resources", option.group(resourceOptions)),
} satisfies OptionTable<McpView>);

const tokenOptions = declareOptions("a token of an MCP server", {
  sha256: option.tokenHash({ required: true }),
  view: option.text(),
  principal: principalOption(),
  approver: principalOption(),
} satisfies OptionTable<McpToken>);

const serverOptions = declareOptions("mcpServer", {
  name: option.text({ default: "toolrig" }),
  version: option.text({ default: "0" }),
  instructions: option.text(),
  views: option.recordOf("views by their names", option.group(viewOptions), { default: { all: {} } }),
  view: option.text(),
  tokens: option.listOf("a list of tokens", option.group(tokenOptions)),
  hosts: option.listOf(`a list of ${HOSTS}`, option.that<string>(HOSTS, isHostName), {
    default: ["localhost", "127.0.0.1", "[::1]"],
  }),
  origins: option.listOf(
    "a list of origins",
    option.that<string>(
      'origins such as "https://app.example.com"',
      (value) => typeof value === "string" && ORIGIN.test(value),
    ),
  ),
  secret: option.checked(`a text or bytes, at least ${LEAST_SECRET} bytes`, checkSecret),
  answerWithin: option.duration({ default: "1h" }),
  maxTasks: option.count(1, { default: 100 }),
  maxMessage: option.count(1_000, { default: 4_194_304 }),
  maxSessions: option.count(1, { default: 1_000 }),
  sessionIdle: option.duration({ default: "30m" }),
  onError: option.callback(),
} satisfies OptionTable<McpServerOptions>);

/** Options with their defaults. */
export interface Settings {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly views: Readonly<Record<string, McpView>>;
  readonly view: string;
  readonly tokens: readonly McpToken[] | undefined;
  readonly hosts: readonly string[];
  readonly origins: readonly string[] | undefined;
  readonly secret: string | Uint8Array | undefined;
  readonly answerWithinMs: number;
  readonly maxTasks: number;
  readonly maxMessage: number;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly onError: (error: Error) => void;
}

export const LOOPBACK_NAMES = serverOptions.defaults.hosts;

/** Throws `OPTION_INVALID`, naming the option. */
export function settingsFrom(options: McpServerOptions): Settings {
  const { views, hosts, origins, answerWithin, sessionIdle, ...given } = serverOptions.withDefaults(options);
  const names = Object.keys(views);
  if (names.length === 0) throw check.invalid("views", "at least one view", views);
  for (const name of names) check.object(`views.${name}`, views[name], "a view such as { allow: [...] }");
  const view = given.view ?? names[0] ?? "";
  check.oneOf("view", view, names);
  if (given.tokens !== undefined) checkTokens(given.tokens, names);
  if (hosts.length === 0) throw check.invalid("hosts", HOSTS, hosts);
  return {
    name: given.name,
    version: given.version,
    instructions: given.instructions,
    views,
    view,
    tokens: given.tokens,
    hosts: hosts.map((each) => hostnameOf(each) ?? each),
    origins: origins?.map((each) => each.toLowerCase()),
    secret: given.secret,
    answerWithinMs: parseDuration(answerWithin, "answerWithin"),
    maxTasks: given.maxTasks,
    maxMessage: given.maxMessage,
    maxSessions: given.maxSessions,
    sessionIdleMs: parseDuration(sessionIdle, "sessionIdle"),
    onError: given.onError ?? (() => {}),
  };
}

function isHostName(value: unknown): boolean {
  return typeof value === "string" && !/:\d*$/.test(value) && hostnameOf(value) !== undefined;
}

/** No error shows a secret. */
function checkSecret(field: string, secret: unknown, checks: Checks): void {
  if (typeof secret !== "string" && !(secret instanceof Uint8Array))
    throw checks.invalid(field, "a text or bytes", "something else");
  if (Buffer.byteLength(secret) < LEAST_SECRET)
    throw checks.invalid(field, `at least ${LEAST_SECRET} bytes`, "fewer");
}

/** At least one, each with a hash of its own and a view that exists. */
function checkTokens(tokens: readonly McpToken[], views: readonly string[]): void {
  if (tokens.length === 0)
    throw check.invalid("tokens", "a list of at least one token; leave it out to let everybody in", tokens);
  const known = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    check.oneOf(`tokens[${index}].view`, token.view, views);
    const hash = token.sha256.toLowerCase();
    if (known.has(hash))
      throw check.invalid(`tokens[${index}].sha256`, "of another token than those before it", "one of those");
    known.add(hash);
  }
}

/** Throws `OPTION_INVALID` when what is to be served cannot be. */
export function partsOf(rig: ServedRig): ServedParts {
  check.object("rig", rig, "a rig, or { executor }");
  const { executor } = rig;
  check.object("rig.executor", executor, "an executor");
  check.has("executor", executor, ["call", "batch"], "an executor");
  const tools = rig.tools ?? executor.tools;
  if (!isToolSource(tools)) throw check.invalid("rig.tools", "a source of tools", tools);
  return {
    executor,
    tools,
    events: rig.events ?? executor.events,
    waits: rig.waits ?? waitsOf(executor),
    artifacts: executor.artifacts,
    approvals: rig.approvals,
    offers: rig.mcp?.offers,
  };
}

/** An executor that only somebody else's waits are known of cannot have them answered here. */
function waitsOf({ waits }: ServedRig["executor"]): Waits | undefined {
  return typeof (waits as Partial<Waits> | undefined)?.answer === "function" ? (waits as Waits) : undefined;
}
