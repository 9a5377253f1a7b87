import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AnyTool, ToolrigError, type ToolSource } from "@toolrig/core";
import { defined, messageOf } from "@toolrig/core/kit";
import type { FleetNames } from "../../fleet/setup.ts";
import { consumerName, type Priority } from "../../wire/names.ts";
import { makingNeeds } from "../../wire/needs.ts";
import type { Outbox } from "../../wire/outbox.ts";
import { checkPermissions, remedyOf } from "../../wire/permissions.ts";
import type { Breaker } from "../breaker.ts";
import { type CheckedConfig, slotsOf } from "../config.ts";
import type { Delivered } from "../deliver/delivered.ts";
import type { Unfit } from "../fit.ts";
import type { Gates } from "../gates/gates.ts";
import type { Peers } from "../peers.ts";
import { ensureConsumer, tooManyConsumers } from "./consumers.ts";
import { Pull } from "./pull.ts";
import { queuesOf, type ToolQueue } from "./queues.ts";

export interface IntakeParts {
  connection: NatsConnection;
  names: FleetNames;
  config: CheckedConfig;
  source: ToolSource;
  gates: Gates;
  breaker: Breaker;
  peers: Peers;
  inboxPrefix: string | undefined;
  outbox: Outbox;
  /** Whether calls come from other accounts, too. */
  imported: boolean;
  allows(tool: AnyTool): boolean;
  unfit: Unfit;
  handle(message: Delivered): Promise<void>;
  /** Told when the worker takes other calls than before. */
  onChange(): void;
}

interface Open {
  queue: ToolQueue;
  consumer: string;
  pull: Pull;
}

const CHECK_MS = 1_000;
/** Who may make a consumer can let the server publish anywhere in its account. */
const SET_UP =
  "Where workers do not trust each other, let the operator make the queues instead: setUpFleet of @toolrig/nats, with tools and limits as this worker has them.";

/** What a worker takes from the server: a consumer for each queue of its tools, pulled from while the tool runs here. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #open: Open[] = [];
  /** By tool. */
  readonly #pulls = new Map<string, Pull[]>();
  #stopped = false;
  #unlisten = () => {};
  #timer: ReturnType<typeof setInterval> | undefined;
  #version: ToolSource["version"] | undefined;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#openAll();
    this.#unlisten = this.#parts.breaker.onChange(() => {
      this.#turn();
      this.#parts.onChange();
    });
    this.#timer = setInterval(() => void this.#update().catch(() => {}), CHECK_MS);
    this.#timer.unref();
  }

  /** The consumers that calls are taken from, and the subjects of their calls. */
  consumers(): { consumer: string; calls: string }[] {
    return this.#open.map(({ consumer, queue }) => ({ consumer, calls: queue.id }));
  }

  /** The connection broke, and the server forgot what it was asked for. */
  forget(): void {
    for (const { pull } of this.#open) pull.forget();
  }

  /** Takes nothing new. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#unlisten();
    await Promise.all(this.#open.map(({ pull }) => pull.stop()));
  }

  async deleteConsumers(): Promise<void> {
    const { connection, names } = this.#parts;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    for (const { consumer } of this.#open)
      await manager.consumers.delete(names.stream, consumer).catch(() => false);
  }

  async #openAll(): Promise<void> {
    const { connection, source, config, gates, unfit, imported } = this.#parts;
    this.#version = source.version;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const lanes: readonly Priority[] = config.priorities ? ["normal", "high", "low"] : ["normal"];
    const queues = queuesOf(source, { lanes, imported }).filter(({ tool }) => unfit(tool) === undefined);
    const opened = new Set(this.#open.map(({ queue }) => queue.id));
    const { stream } = this.#parts.names;
    for (const queue of queues) {
      if (opened.has(queue.id)) continue;
      await this.#consume(manager, queue).catch(async (error: unknown) => {
        await this.#nameMissing(error, queues);
        throw tooManyConsumers(error, { stream, needed: queues.length, made: this.#open.length });
      });
    }
    for (const { name, tool, major, priority, imported } of queues) {
      if (major === undefined && priority === "normal" && !imported)
        await gates.open(tool, queues.filter((queue) => queue.name === name).length, slotsOf(tool, config));
    }
    this.#turn();
  }

  /** What the server does not allow for one queue it hardly does for the others: all of it is named at once. */
  async #nameMissing(error: unknown, queues: readonly ToolQueue[]): Promise<void> {
    const remedy = remedyOf(error);
    if (remedy === undefined) return;
    const { connection, names, config } = this.#parts;
    const consumers = queues.map(({ name, major, priority, imported, id: calls }) => ({
      consumer: consumerName(name, major, config.consumer_name_suffix, priority, imported),
      calls,
    }));
    try {
      await checkPermissions(connection, makingNeeds(names, consumers));
    } catch (cause) {
      const details = ToolrigError.isInstance(cause) ? cause.details : undefined;
      throw new ToolrigError("CONFIG_INVALID", `${messageOf(cause)} ${SET_UP}`, {
        cause,
        ...defined({ details }),
      });
    }
    throw new ToolrigError("CONFIG_INVALID", `${messageOf(error)}; ${remedy}. ${SET_UP}`, { cause: error });
  }

  async #consume(manager: JetStreamManager, queue: ToolQueue): Promise<void> {
    const { connection, names, config, gates, inboxPrefix, outbox, handle } = this.#parts;
    const { stream, ackWaitMs } = names;
    const { concurrency } = queue.tool;
    const options = { stream, suffix: config.consumer_name_suffix, ackWaitMs, concurrency };
    const consumer = await ensureConsumer(manager, queue, options);
    const share = slotsOf(queue.tool, config);
    const pull = new Pull(connection, {
      stream,
      consumer,
      slots: queue.priority === "low" ? Math.max(1, Math.floor(share / 4)) : share,
      spare: () => gates.spare(queue.name),
      inboxPrefix,
      outbox,
      handle,
      onHandled: () => this.#refill(queue.name),
      repair: async () => void (await ensureConsumer(manager, queue, options)),
    });
    this.#open.push({ queue, consumer, pull });
    const siblings = this.#pulls.get(queue.name);
    if (siblings === undefined) this.#pulls.set(queue.name, [pull]);
    else siblings.push(pull);
  }

  /** A call of the tool has ended: whichever of its queues has more may be asked. */
  #refill(name: string): void {
    const pulls = this.#pulls.get(name) ?? [];
    if (pulls.length > 1) for (const pull of pulls) pull.refill();
  }

  /** A source may have other tools than before, and other workers other ones. */
  async #update(): Promise<void> {
    if (this.#version === this.#parts.source.version) {
      this.#turn();
      return;
    }
    await this.#openAll();
    this.#parts.onChange();
  }

  /** Pulls from the queues of tools that run here now, and from no other. */
  #turn(): void {
    if (this.#stopped) return;
    for (const { queue, pull } of this.#open) {
      if (this.#takes(queue.tool)) pull.start();
      else void pull.stop();
    }
  }

  /** Calls of a tool that may not run here are taken to answer them so, unless another worker may run it. */
  #takes(tool: AnyTool): boolean {
    const { source, breaker, peers, allows } = this.#parts;
    if (source.get(tool.name) === undefined || breaker.reason(tool.name) !== undefined) return false;
    return allows(tool) || !peers.offer(tool.name);
  }
}
