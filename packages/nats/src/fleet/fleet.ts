import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AnyTool, type SideEffects, type ToolSource, unavailable } from "@toolrig/core";
import { defined, defineTool, newestFirst, newId, satisfies } from "@toolrig/core/kit";
import { leave, type NatsOptions, open } from "../wire/connection.ts";
import { type FleetOptions, setUp } from "./setup.ts";
import { stableFirst } from "./stable-first.ts";
import { type CardChange, watchCards } from "./watch-cards.ts";
import { HEARTBEAT_MS, type OfferedTool, readCard, type WorkerCard } from "./worker-card.ts";

/** A tool as the fleet offers it: in which versions, and by how many workers. */
export interface FleetTool {
  name: string;
  versions: string[];
  description: string;
  provider: string;
  available: boolean;
  reason?: string;
  workers: number;
}

/** The calls of one queue of a tool. */
export interface QueueDepth {
  consumer: string;
  subject: string;
  waiting: number;
  running: number;
}

/** A worker that has been silent for this long is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;

/** The live workers and what they offer, kept up to date by watching their cards. Also a source of tools for a loop. */
export class Fleet implements ToolSource {
  readonly #cards = new Map<string, WorkerCard>();
  #version = 0;
  #skipped = 0;
  #nextCheck = 0;
  #tools: { version: number; list: readonly AnyTool[] } | undefined;
  readonly #providers = new WeakMap<AnyTool, string>();
  #stop: () => void = () => {};

  readonly #connection: NatsConnection;
  readonly #names: { workers: string; stream: string };

  /** Knows nobody until it watches. */
  constructor(connection: NatsConnection, names: { workers: string; stream: string }) {
    this.#connection = connection;
    this.#names = names;
  }

  /** On a connection of its own, which `close` closes: for whoever only watches. */
  static async connect({ nats, fleet = {} }: { nats: NatsOptions; fleet?: FleetOptions }): Promise<Fleet> {
    const connection = await open(nats, newId("fleet"));
    try {
      const made = await Fleet.open(connection, await setUp(connection, fleet));
      const stop = made.#stop;
      made.#stop = () => {
        stop();
        void leave(connection);
      };
      return made;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  static async open(connection: NatsConnection, names: { workers: string; stream: string }): Promise<Fleet> {
    const fleet = new Fleet(connection, names);
    await fleet.watch();
    return fleet;
  }

  /** Knows all present workers when it resolves, and hears of every change after that, until it is closed. */
  async watch(): Promise<void> {
    this.#stop = await watchCards(this.#connection, this.#names.workers, (change) => this.#learn(change));
  }

  /** How many cards, and offers in cards, could not be read and were left out. */
  get skipped(): number {
    return this.#skipped;
  }

  /** How many calls wait and how many run, by queue. Asks the server. */
  async queues(): Promise<QueueDepth[]> {
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    const depths: QueueDepth[] = [];
    for await (const { name, config, num_pending, num_ack_pending } of manager.consumers.list(
      this.#names.stream,
    )) {
      const subject = config.filter_subject ?? "";
      depths.push({ consumer: name, subject, waiting: num_pending, running: num_ack_pending });
    }
    return depths.sort((a, b) => (a.consumer < b.consumer ? -1 : 1));
  }

  get version(): number {
    this.#forgetSilent();
    return this.#version;
  }

  /** Live workers, by id. */
  workers(): WorkerCard[] {
    this.#forgetSilent();
    return [...this.#cards.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** What the union of live workers offers, by name. */
  offers(): FleetTool[] {
    const byName = new Map<string, FleetTool & { seenOn: Set<string> }>();
    for (const card of this.workers()) {
      for (const { name, version, description, provider, available, reason } of card.tools) {
        const known = byName.get(name) ?? {
          name,
          versions: [],
          description,
          provider,
          available: false,
          workers: 0,
          seenOn: new Set(),
        };
        byName.set(name, known);
        if (version !== undefined && !known.versions.includes(version)) known.versions.push(version);
        known.seenOn.add(card.id);
        if (available) known.available = true;
        else if (reason !== undefined) known.reason = reason;
      }
    }
    return [...byName.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ seenOn, reason, ...tool }) => ({
        ...tool,
        versions: tool.versions.sort(newestFirst),
        workers: seenOn.size,
        ...(!tool.available && reason !== undefined && { reason }),
      }));
  }

  /** Every worker's offer of a tool, in the versions of a range. */
  offersOf(tool: string, range?: string): (OfferedTool & { lanes: boolean })[] {
    return this.workers().flatMap(({ tools, lanes = false }) =>
      tools
        .filter(({ name, version }) => name === tool && (range === undefined || satisfies(version, range)))
        .map((offer) => ({ ...offer, lanes })),
    );
  }

  tools(): readonly AnyTool[] {
    const { version } = this;
    if (this.#tools?.version !== version) this.#tools = { version, list: this.#build() };
    return this.#tools.list;
  }

  get(name: string, range?: string): AnyTool | undefined {
    return this.tools()
      .filter((tool) => tool.name === name && (range === undefined || satisfies(tool.version, range)))
      .sort((a, b) => stableFirst(a.version, b.version))[0];
  }

  /** Who has the tool, as its worker says. */
  providerOf(tool: AnyTool): string | undefined {
    return this.#providers.get(tool);
  }

  close(): void {
    this.#stop();
  }

  #forgetSilent(): void {
    const now = Date.now();
    if (now < this.#nextCheck) return;
    this.#nextCheck = now + 500;
    for (const [id, card] of this.#cards) {
      if (now - card.at <= SILENT_MS) continue;
      this.#cards.delete(id);
      this.#version += 1;
    }
  }

  /** One entry a name and version, from the first worker that offers it. They run on the fleet, never here. */
  #build(): AnyTool[] {
    const byKey = new Map<string, AnyTool>();
    // A worker is not trusted with more than its own tools: an offer that is not a valid definition is left out.
    for (const offered of this.workers().flatMap((card) => card.tools)) {
      if (offered.allowed === false) continue;
      const key = `${offered.name}@${offered.version ?? ""}`;
      const tool = byKey.has(key) ? undefined : this.#remote(offered);
      if (tool !== undefined) byKey.set(key, tool);
    }
    return [...byKey.values()].sort(byNameStableFirst);
  }

  #remote({
    name,
    version,
    description,
    inputSchema,
    outputSchema,
    annotations,
    provider,
    safety,
    mode,
  }: OfferedTool): AnyTool | undefined {
    try {
      const remote = defineTool(
        {
          name,
          ...defined({ mode, version, label: annotations?.title }),
          type: "fleet",
          description,
          input: inputSchema,
          ...defined({ output: outputSchema }),
          safety: { sideEffects: safety.sideEffects as SideEffects, idempotent: safety.idempotent },
          available: () => this.#availability(name),
          execute: () => unavailable(`${name} runs on the fleet; call it through a NatsExecutor`),
        },
        { trusted: false },
      );
      this.#providers.set(remote, provider);
      return remote;
    } catch {
      return undefined;
    }
  }

  #availability(name: string): true | string {
    const offers = this.workers().flatMap((card) => card.tools.filter((tool) => tool.name === name));
    if (offers.some((offer) => offer.available)) return true;
    return offers[0]?.reason ?? "no live worker has it";
  }

  #learn({ worker, data }: CardChange): void {
    if (data === undefined) {
      if (this.#cards.delete(worker)) this.#version += 1;
      return;
    }
    let read: ReturnType<typeof readCard>;
    try {
      read = readCard(data, worker);
    } catch {
      this.#skipped += 1;
      return;
    }
    this.#skipped += read.skipped;
    const { card } = read;
    const known = this.#cards.get(worker);
    if (known === undefined || JSON.stringify(known.tools) !== JSON.stringify(card.tools)) this.#version += 1;
    this.#cards.set(worker, { ...card, at: Date.now() });
  }
}

function byNameStableFirst(a: AnyTool, b: AnyTool): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return stableFirst(a.version, b.version);
}
