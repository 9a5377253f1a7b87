import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FailureInput, ToolCall, ToolDefinition } from "@toolrig/core";
import { nearestNames, newestFirst } from "@toolrig/core/kit";
import type { Fleet } from "../fleet/fleet.ts";
import { isPreRelease, stableFirst } from "../fleet/stable-first.ts";
import { consumerName, executeSubject, hashedConsumerName, type Priority, unfitName } from "../wire/names.ts";
import { isMissing } from "../wire/streams.ts";

/** Where a call goes, or why it goes nowhere. */
export type Route = Found | { refused: FailureInput };

export interface Found {
  subject: string;
  sequential: boolean;
  /** Whether guards or hooks of a worker may stop the run at the call. True when no worker says. */
  guarded: boolean;
  /** The tool that somebody has to approve of, as a worker offers it; undefined when nobody has to, or nobody can say. */
  approval: ToolDefinition | undefined;
  /** A call that takes longer goes on without its caller, who does not hold it. */
  backgroundMs?: number | undefined;
}

/** How many calls of a tool can run at once, and how many can start in a millisecond. */
export interface Capacity {
  slots: number;
  startsPerMs: number;
}

const MAX_NAMES = 20;

/**
 * Sends calls where somebody can run them, by what live workers offer. A call goes to a major version, so that all calls of
 * it share one queue, and to a lane only if somebody looks at it. A tool that nobody offers at the moment but that has a
 * consumer is only away: its calls wait. One that never was there is not found.
 */
export class Router {
  readonly #connection: NatsConnection;
  readonly #stream: string;
  readonly #fleet: Fleet | undefined;
  readonly #routes = new Map<string, Route>();
  readonly #capacities = new Map<string, Capacity | undefined>();
  #version: number | undefined;
  #manager: Promise<JetStreamManager> | undefined;

  constructor(connection: NatsConnection, stream: string, fleet: Fleet | undefined) {
    this.#connection = connection;
    this.#stream = stream;
    this.#fleet = fleet;
  }

  route(call: ToolCall, priority: Priority): Route | Promise<Route> {
    if (call.name === "")
      return { refused: { code: "TOOL_NOT_FOUND", message: "The call does not say which tool it is of." } };
    const unfit = unfitName(call.name);
    if (unfit !== undefined) {
      const message = `No worker can have a tool called "${call.name.slice(0, 100)}…": ${unfit}.`;
      return { refused: { code: "TOOL_NOT_FOUND", message } };
    }
    const fleet = this.#fleet;
    if (fleet === undefined) return blind(call);
    this.#refresh(fleet);
    const key = `${call.name}@${call.version ?? ""}/${priority}`;
    let route = this.#routes.get(key);
    if (route === undefined) {
      route = routeOf(fleet, call, priority);
      if (route === undefined) return this.#whenNobodyOffers(fleet, call);
      this.#routes.set(key, route);
    }
    return route;
  }

  /** What live workers can do for a tool at once and in time; undefined when nobody says. */
  capacityOf(name: string): Capacity | undefined {
    if (this.#fleet === undefined) return undefined;
    this.#refresh(this.#fleet);
    if (!this.#capacities.has(name)) {
      const able = this.#fleet.offersOf(name).filter(({ available }) => available);
      const slots = able.reduce((sum, offer) => sum + (offer.slots ?? 0), 0);
      const rates = able.map(({ rate }) =>
        rate === undefined ? Number.POSITIVE_INFINITY : rate.limit / rate.perMs,
      );
      this.#capacities.set(name, slots === 0 ? undefined : { slots, startsPerMs: Math.min(...rates) });
    }
    return this.#capacities.get(name);
  }

  /** What is remembered holds for one state of the fleet. */
  #refresh({ version }: Fleet): void {
    if (this.#version === version) return;
    this.#routes.clear();
    this.#capacities.clear();
    this.#version = version;
  }

  async #whenNobodyOffers(fleet: Fleet, call: ToolCall): Promise<Route> {
    if (fleet.workers().length === 0 || (await this.#hasConsumer(call.name))) return blind(call);
    const names = fleet.offers().flatMap(({ name, available }) => (available ? [name] : []));
    const nearest = nearestNames(call.name, names);
    const hint = nearest.length > 0 ? ` Did you mean ${nearest.join(" or ")}?` : "";
    const message = `No worker has a tool called "${call.name.slice(0, 100)}".${hint}`;
    const details = { nearest, available: names.slice(0, MAX_NAMES) };
    return { refused: { code: "TOOL_NOT_FOUND", message, details } };
  }

  /** When it cannot be found out, the answer is yes: a call that waits is better than one wrongly refused. */
  async #hasConsumer(name: string): Promise<boolean> {
    this.#manager ??= jetstreamManager(this.#connection, { checkAPI: false });
    const manager = await this.#manager;
    for (const consumer of [consumerName(name), hashedConsumerName(name)]) {
      try {
        const { config } = await manager.consumers.info(this.#stream, consumer);
        if (config.filter_subject === executeSubject({ name })) return true;
      } catch (error) {
        if (!isMissing(error)) return true;
      }
    }
    return false;
  }
}

function routeOf(fleet: Fleet, { name, version }: ToolCall, priority: Priority): Route | undefined {
  const offers = fleet.offersOf(name);
  if (offers.length === 0) return undefined;
  const fitting = version === undefined ? offers : fleet.offersOf(name, version);
  if (fitting.length === 0) {
    const versions = [...new Set(offers.map((offer) => offer.version ?? "unversioned"))].sort(newestFirst);
    const message = `${name} has no version in "${version}". There is: ${versions.join(", ")}.`;
    return { refused: { code: "TOOL_NOT_FOUND", message, details: { versions } } };
  }
  const allowed = fitting.filter((offer) => offer.allowed !== false);
  if (allowed.length === 0)
    return { refused: { code: "TOOL_NOT_ALLOWED", message: `tool '${name}' is not allowed` } };
  const able = allowed.filter(({ available }) => available);
  if (able.length === 0) {
    const message = `${name} is not available: ${allowed[0]?.reason ?? "no worker can run it now"}.`;
    return { refused: { code: "TOOL_UNAVAILABLE", message } };
  }
  const [newest] = able.sort((a, b) => stableFirst(a.version, b.version));
  // No range of a major version holds a pre-release: who names none gets one only where there is nothing else.
  const early = version === undefined && isPreRelease(newest?.version);
  const lane = able.some(({ lanes }) => lanes) ? priority : "normal";
  return {
    subject: executeSubject({ name, major: early ? undefined : majorOf(newest?.version), priority: lane }),
    approval: able.some(({ approval }) => approval === true) ? newest : undefined,
    sequential: able.some(({ mode }) => mode === "sequential"),
    guarded: able.some(({ guarded }) => guarded !== false),
    backgroundMs: newest?.backgroundMs,
  };
}

function blind({ name, version }: ToolCall): Route {
  const major = version === undefined ? undefined : /^[\^~=v]*(\d+)/.exec(version)?.[1];
  const subject = executeSubject({ name, major: major === undefined ? undefined : Number(major) });
  return { subject, approval: undefined, sequential: false, guarded: true };
}

function majorOf(version: string | undefined): number | undefined {
  return version === undefined ? undefined : Number(version.split(".")[0]);
}
