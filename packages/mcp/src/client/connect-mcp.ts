import { type Principal, type Registry, type ToolContext, ToolrigError } from "@toolrig/core";
import {
  type Catalog,
  check,
  declareOptions,
  nearestNames,
  type OptionTable,
  option,
  principalOption,
  type RigWith,
} from "@toolrig/core/kit";
import { admit } from "../defence/admit.ts";
import { type AdmittedOffers, admitOffers, type ListedOffers } from "../defence/admit-offers.ts";
import { type Notification, NotificationQueue, noticeText } from "../defence/notifications.ts";
import { accept, type Quarantined } from "../defence/pins.ts";
import { Connection, type ConnectionOwner, type ConnectionState } from "./connection.ts";
import {
  type ConnectionOptions,
  checkConnection,
  type Era,
  type Server,
  shownTarget,
} from "./connection-options.ts";
import { Kept, type KeptConnection } from "./kept.ts";
import { Authorizations, authorized } from "./oauth/authorizations.ts";
import type { AuthorizationRequest } from "./oauth/oauth-client.ts";
import { Offers } from "./offers.ts";
import { Registered, type SkippedTool } from "./registered.ts";
import { type TaskUse, toolOf } from "./tool.ts";

/** A rig in whose registry tools of MCP servers are, and whose catalog keeps connections that are added at run time. */
export type McpHost = RigWith<"registry"> & { readonly store?: { readonly catalog: Catalog } | undefined };

export interface McpOptions {
  /** The operator's connections by name, as in `.mcp.json`. They are connected at once. */
  servers?: Readonly<Record<string, ConnectionOptions>>;
  /** Whether connections that were added at run time are connected, too. Default true. */
  restore?: boolean;
  /** The file that tokens are kept in; only its owner may read it. Default: they are kept in memory. */
  tokens?: string;
  /** Told whenever a person has to open an address to authorize a connection. `list` shows it, too. */
  onAuthorize?: (request: AuthorizationRequest) => void;
}

/** What is known of a connection, for people and programs. */
export interface ConnectionStatus {
  name: string;
  state: ConnectionState | "disabled";
  /** The command or the address, whole. */
  target: string;
  /** From the operator's configuration, or added at run time. */
  from: "configuration" | "catalog";
  era: Era | undefined;
  /** Why it is not ready. */
  reason: string | undefined;
  tools: readonly string[];
  /** Tools of the server that are not registered, under the server's own names. */
  skipped: readonly SkippedTool[];
  /** Tools that nobody has accepted: they are new, or not what they were. */
  quarantined: readonly Pick<Quarantined, "name" | "reason">[];
  notes: readonly string[];
}

interface Entry {
  readonly name: string;
  readonly server: Server;
  readonly from: "configuration" | "catalog";
  connection: Connection | undefined;
  registered: Registered | undefined;
  skipped: readonly SkippedTool[];
  quarantined: readonly Quarantined[];
  notes: readonly string[];
  readonly notices: NotificationQueue;
}

const PRINCIPAL = principalOption();

const mcpOptions = declareOptions("connectMcp", {
  // Each is checked with its name when it is entered.
  servers: option.object("connections by name"),
  restore: option.flag({ default: true }),
  tokens: option.text(),
  onAuthorize: option.callback(),
} satisfies OptionTable<McpOptions>);

/** Connections to MCP servers, whose tools are in the registry of a rig. */
export class Mcp {
  readonly #registry: Registry;
  readonly #kept: Kept;
  readonly #authorizations: Authorizations;
  readonly #entries = new Map<string, Entry>();
  #closed = false;
  /** What servers have beside tools: `mcpServer` serves it on to its clients. */
  readonly offers: Offers;
  /** Resolves when every connection has been tried once. Never rejects: `list` says what came of it. */
  readonly ready: Promise<void>;

  constructor({ registry, store }: McpHost, options: McpOptions) {
    this.#registry = registry;
    this.offers = new Offers(registry);
    this.#kept = new Kept(store?.catalog);
    this.#authorizations = new Authorizations(options.tokens, options.onAuthorize);
    for (const [name, given] of Object.entries(options.servers ?? {}))
      this.#enter(name, checkConnection(name, given), "configuration");
    const configured = [...this.#entries.values()].map((entry) => this.#start(entry));
    const restored = options.restore === false ? undefined : this.#restore();
    this.ready = Promise.all([...configured, restored]).then(() => {});
  }

  /** Every connection there is, sorted by name. */
  list(): ConnectionStatus[] {
    return [...this.#entries.values()].map(statusOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Throws `OPTION_INVALID` when there is none of that name. */
  get(name: string): ConnectionStatus {
    return statusOf(this.#entry(name));
  }

  /**
   * Connects one that is known, or with `options` a new one, which is kept in the catalog and is there again after a restart.
   * Resolves when it has been tried once: its status says what came of it.
   */
  async connect(name: string, options?: ConnectionOptions, by?: Principal): Promise<ConnectionStatus> {
    if (this.#closed) throw new ToolrigError("OPTION_INVALID", "The connections of this rig are closed.");
    if (options === undefined) {
      const known = this.#entry(name);
      await this.#kept.enable(name, true);
      await this.#start(known);
      return statusOf(known);
    }
    const server = checkConnection(name, options);
    if (by !== undefined) PRINCIPAL.check("by", by, check);
    if (this.#entries.get(name)?.from === "configuration")
      throw new ToolrigError(
        "OPTION_INVALID",
        `The connection "${name}" is the operator's; choose another name.`,
      );
    await this.#stop(this.#entries.get(name));
    await this.#kept.remove(name);
    await this.#kept.change(name, { server: options }, by?.id);
    const entry = this.#enter(name, server, "catalog");
    await this.#start(entry);
    return statusOf(entry);
  }

  /** Ends a connection and takes its tools away. It stays known; `forget` also takes one that was added out of the catalog. */
  async disconnect(name: string, { forget = false }: { forget?: boolean } = {}): Promise<void> {
    const entry = this.#entry(name);
    await this.#stop(entry);
    if (entry.from === "configuration") return;
    if (!forget) return this.#kept.enable(name, false);
    this.#entries.delete(name);
    await this.#kept.remove(name);
  }

  /** Reads the tools of a connection anew. */
  async refresh(name: string): Promise<ConnectionStatus> {
    const entry = this.#entry(name);
    await entry.connection?.refresh();
    return statusOf(entry);
  }

  /** Accepts what is in quarantine: all of it, or the tools with these names of the server's own. Answers which. */
  async accept(name: string, tools?: readonly string[]): Promise<string[]> {
    const entry = this.#entry(name);
    const { record, accepted } = accept(await this.#kept.get(name), tools);
    await this.#kept.change(name, record);
    await entry.connection?.refresh();
    return accepted;
  }

  /**
   * What servers said unasked since the last time: log messages and the like. Data of strangers: give it to a run only as such,
   * `run.steer(text, { untrusted: source })`.
   */
  takeNotifications(): Notification[] {
    return [...this.#entries.values()].flatMap(({ notices }) => notices.take());
  }

  /** The address that a browser was sent to after an authorization, brought by hand. False when nobody waits for it. */
  authorize(name: string, address: string): boolean {
    return this.#entry(name).connection?.oauth?.bring(address) ?? false;
  }

  /** Where a connection waits for somebody's authorization, asks the person behind a call for it, and waits until it is there. */
  async authorized(name: string, context: ToolContext): Promise<void> {
    await authorized(this.#entry(name).connection, context);
  }

  /** Ends every connection. Children have ended when it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#entries.values()].map((entry) => this.#stop(entry)));
    await this.ready;
    this.#authorizations.close();
  }

  #entry(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const near = nearestNames(name, this.#entries.keys());
    const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    throw new ToolrigError("OPTION_INVALID", `No MCP connection is called "${name}".${hint}`);
  }

  #enter(name: string, server: Server, from: Entry["from"]): Entry {
    const entry: Entry = {
      name,
      server,
      from,
      connection: undefined,
      registered: undefined,
      skipped: [],
      quarantined: [],
      notes: [],
      notices: new NotificationQueue(server.limits.notifications),
    };
    this.#entries.set(name, entry);
    return entry;
  }

  async #restore(): Promise<void> {
    const starting: Promise<void>[] = [];
    for (const { name, server, enabled } of await this.#kept.added()) {
      if (this.#entries.has(name) || this.#closed) continue;
      const entry = this.#enter(name, checkConnection(name, server), "catalog");
      if (enabled) starting.push(this.#start(entry));
    }
    await Promise.all(starting);
  }

  #start(entry: Entry): Promise<void> {
    if (entry.connection !== undefined) return entry.connection.start();
    const { name } = entry;
    const owner: ConnectionOwner = {
      knownEra: () => this.#kept.era(name),
      foundEra: (era) => this.#kept.foundEra(name, era),
      onListed: (tools, offers) => this.#register(entry, connection, tools, offers),
      onResourceUpdated: (uri) => this.offers.updated(name, uri),
      onNotice: (method, params) => entry.notices.add(`mcp:${name}`, method, noticeText(params)),
    };
    const connection: Connection = new Connection(
      name,
      entry.server,
      owner,
      this.#authorizations.clientFor(name, entry.server, (url) => connection.needsAuthorization(url)),
    );
    entry.connection = connection;
    entry.registered = new Registered(this.#registry, name);
    return connection.start();
  }

  async #register(
    entry: Entry,
    connection: Connection,
    listed: readonly unknown[],
    listedOffers: ListedOffers | undefined,
  ): Promise<void> {
    const { name } = entry;
    const { limits, trust = "none", allow } = entry.server;
    const kept = await this.#kept.get(name);
    const required = new Set(listed.filter(isTask).map((each) => (each as { name?: unknown }).name));
    const tasksOf = (own: string): TaskUse => {
      if (!connection.hasTasks) return undefined;
      if (connection.era === "2026") return "possible";
      return required.has(own) ? "required" : undefined;
    };
    const admission = await admit(listed, {
      connection: name,
      limits,
      trust,
      allow,
      pins: kept.pins,
      define: (tool) => toolOf(connection, tool, tasksOf(tool.own)),
    });
    const offers =
      listedOffers === undefined
        ? notYetOffered(kept)
        : await admitOffers(listedOffers, name, limits, kept.offers);
    if (entry.connection !== connection || connection.state === "closed") return;
    const { pins, skipped } = admission;
    const refused = entry.registered?.update(admission.tools) ?? [];
    const quarantined = [...admission.quarantined, ...offers.quarantined];
    const notOffered = this.offers.update(connection, offers, admission.tools);
    const notes = [...admission.notes, ...offers.notes, ...notOffered];
    Object.assign(entry, { skipped: [...skipped, ...refused], quarantined, notes });
    // What somebody has accepted in the meantime stays accepted.
    const first = {
      ...(kept.pins === undefined && { pins }),
      ...(kept.offers === undefined && listedOffers !== undefined && { offers: offers.pins }),
    };
    if (Object.keys(first).length > 0 || !isSame(kept.quarantined, quarantined))
      await this.#kept.change(name, { ...first, quarantined });
  }

  async #stop(entry: Entry | undefined): Promise<void> {
    if (entry?.connection === undefined) return;
    const { connection, registered } = entry;
    entry.connection = undefined;
    entry.registered = undefined;
    await connection.close();
    registered?.clear();
    this.offers.remove(connection);
  }
}

/** What waits to be accepted goes on waiting. */
function notYetOffered({ offers: pins = {}, quarantined = [] }: KeptConnection): AdmittedOffers {
  const waiting = quarantined.filter(({ definition }) => definition.kind !== undefined);
  const none = { instructions: undefined, prompts: [], resources: [], templates: [] };
  return { ...none, quarantined: waiting, notes: [], pins, mark: "" };
}

/** Whether a tool can only be called as a task. */
function isTask(listed: unknown): boolean {
  const { execution } = Object(listed) as { execution?: { taskSupport?: unknown } | null };
  return execution?.taskSupport === "required";
}

/** Whether the same definitions are in quarantine. */
function isSame(one: readonly Quarantined[] = [], other: readonly Quarantined[]): boolean {
  return (
    one.length === other.length &&
    other.every(({ name, hash }, index) => one[index]?.name === name && one[index].hash === hash)
  );
}

function statusOf({
  name,
  server,
  from,
  connection,
  registered,
  skipped,
  quarantined,
  notes,
}: Entry): ConnectionStatus {
  return {
    name,
    state: connection?.state ?? "disabled",
    target: shownTarget(server),
    from,
    era: connection?.era,
    reason: connection === undefined ? "it is not connected" : connection.reason,
    tools: registered?.names ?? [],
    skipped,
    quarantined: quarantined.map(({ name: own, reason }) => ({ name: own, reason })),
    notes,
  };
}

/**
 * Connects MCP servers to a rig: their tools are in its registry, under the provider `mcp:<name>`, for as long as the connection
 * is wanted, and are called through the same pipeline as all others. Returns at once; tools come when their server is there.
 * Throws `OPTION_INVALID`, naming what is wrong with a connection.
 */
export function connectMcp(host: McpHost, options: McpOptions = {}): Mcp {
  check.object("The rig", host, "something with a registry");
  if (typeof host.registry?.add !== "function")
    throw check.invalid("registry", "a registry, for the servers' tools", host.registry);
  if (host.store !== undefined && typeof host.store?.catalog?.put !== "function")
    throw check.invalid("store", "a store with a catalog", host.store);
  mcpOptions.check(options);
  return new Mcp(host, options);
}
