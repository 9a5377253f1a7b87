import type { AnyTool, Duration, Principal, ToolSource, Waits } from "@toolrig/core";
import { check, isToolSource, settingsOf } from "@toolrig/core/kit";
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

const VIEW = settingsOf<McpView>({
  allow: true,
  principal: true,
  approver: true,
  search: true,
  prompts: true,
  resources: true,
});
const RESOURCE = settingsOf<McpResource>({
  uri: true,
  tool: true,
  name: true,
  description: true,
  mimeType: true,
});
const TOKEN = settingsOf<McpToken>({ sha256: true, view: true, principal: true, approver: true });
const SETTINGS = settingsOf<McpServerOptions>({
  name: true,
  version: true,
  instructions: true,
  views: true,
  view: true,
  tokens: true,
  hosts: true,
  origins: true,
  secret: true,
  answerWithin: true,
  maxTasks: true,
  maxMessage: true,
  maxSessions: true,
  sessionIdle: true,
  onError: true,
});

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

export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const LEAST_SECRET = 32;

/** Throws `OPTION_INVALID`, naming the option. */
export function settingsFrom(options: McpServerOptions): Settings {
  check.known("mcpServer", options, SETTINGS);
  const { name = "toolrig", version = "0", instructions, views = { all: {} }, secret, tokens } = options;
  check.string("name", name);
  check.string("version", version);
  if (instructions !== undefined) check.string("instructions", instructions);
  checkViews(views);
  const view = options.view ?? Object.keys(views)[0] ?? "";
  check.oneOf("view", view, Object.keys(views));
  if (tokens !== undefined) checkTokens(tokens, views);
  if (secret !== undefined && typeof secret !== "string" && !(secret instanceof Uint8Array))
    throw check.invalid("secret", "a text or bytes", "something else");
  if (secret !== undefined && Buffer.byteLength(secret) < LEAST_SECRET)
    throw check.invalid("secret", `at least ${LEAST_SECRET} bytes`, "fewer");
  const { onError = () => {} } = options;
  check.function("onError", onError);
  return {
    name,
    version,
    instructions,
    views,
    view,
    tokens,
    hosts: hostsOf(options.hosts),
    origins: originsOf(options.origins),
    secret,
    answerWithinMs: check.timeout("answerWithin", options.answerWithin ?? "1h"),
    maxTasks: check.count("maxTasks", options.maxTasks) ?? 100,
    maxMessage: check.count("maxMessage", options.maxMessage, 1_000) ?? 4_194_304,
    maxSessions: check.count("maxSessions", options.maxSessions) ?? 1_000,
    sessionIdleMs: check.timeout("sessionIdle", options.sessionIdle ?? "30m"),
    onError,
  };
}

function hostsOf(value: readonly string[] | undefined): readonly string[] {
  if (value === undefined) return LOOPBACK_NAMES;
  const expected = 'names without port, such as "tools.example.com" or "[::1]"';
  if (check.strings("hosts", value, expected).length === 0) throw check.invalid("hosts", expected, value);
  return value.map((each, index) => {
    const name = /:\d*$/.test(each) ? undefined : hostnameOf(each);
    if (name === undefined) throw check.invalid(`hosts[${index}]`, expected, each);
    return name;
  });
}

/** What a browser sends: no path, no wildcard. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/;

function originsOf(value: readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const expected = 'origins such as "https://app.example.com"';
  return check.strings("origins", value, expected).map((each, index) => {
    const origin = each.toLowerCase();
    if (!ORIGIN.test(origin)) throw check.invalid(`origins[${index}]`, expected, each);
    return origin;
  });
}

function checkViews(views: Readonly<Record<string, McpView>>): void {
  check.object("views", views, "views by their names");
  if (Object.keys(views).length === 0) throw check.invalid("views", "at least one view", views);
  for (const [name, view] of Object.entries(views)) {
    const field = `views.${name}`;
    check.object(field, view, "a view such as { allow: [...] }");
    check.known(field, view, VIEW);
    if (view.allow !== undefined) check.strings(`${field}.allow`, view.allow, "a list of names");
    if (view.search !== undefined) check.function(`${field}.search`, view.search);
    if (view.prompts !== undefined) check.strings(`${field}.prompts`, view.prompts, "names of tools");
    checkPrincipal(`${field}.principal`, view.principal);
    checkPrincipal(`${field}.approver`, view.approver);
    if (view.resources !== undefined) check.list(`${field}.resources`, view.resources, "a list of resources");
    for (const [index, resource] of (view.resources ?? []).entries()) {
      const at = `${field}.resources[${index}]`;
      check.known(at, resource, RESOURCE);
      check.string(`${at}.uri`, resource.uri);
      check.string(`${at}.tool`, resource.tool);
      for (const each of ["name", "description", "mimeType"] as const)
        if (resource[each] !== undefined) check.string(`${at}.${each}`, resource[each]);
    }
  }
}

function checkTokens(tokens: readonly McpToken[], views: object): void {
  check.list("tokens", tokens, "a list of tokens");
  if (tokens.length === 0)
    throw check.invalid("tokens", "a list of at least one token; leave it out to let everybody in", tokens);
  const known = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    checkToken(`tokens[${index}]`, token, views);
    const hash = token.sha256.toLowerCase();
    if (known.has(hash))
      throw check.invalid(`tokens[${index}].sha256`, "of another token than those before it", "one of those");
    known.add(hash);
  }
}

function checkToken(field: string, token: McpToken, views: object): void {
  check.object(field, token, "a token such as { sha256 }");
  check.known(field, token, TOKEN);
  if (typeof token.sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(token.sha256))
    throw check.invalid(`${field}.sha256`, "the SHA-256 of a token in hex", "something else");
  check.oneOf(`${field}.view`, token.view, Object.keys(views));
  checkPrincipal(`${field}.principal`, token.principal);
  checkPrincipal(`${field}.approver`, token.approver);
}

function checkPrincipal(field: string, principal: Principal | undefined): void {
  if (principal !== undefined && (typeof principal?.id !== "string" || principal.id === ""))
    throw check.invalid(field, 'somebody with an id, such as { id: "ada" }', principal);
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
  };
}

/** An executor that only somebody else's waits are known of cannot have them answered here. */
function waitsOf({ waits }: ServedRig["executor"]): Waits | undefined {
  return typeof (waits as Partial<Waits> | undefined)?.answer === "function" ? (waits as Waits) : undefined;
}
