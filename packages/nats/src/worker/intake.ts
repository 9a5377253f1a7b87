import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { AnyTool, ToolSource } from "@toolrig/core";
import type { FleetNames } from "../fleet/setup.ts";
import type { AckedPublisher } from "../wire/acked-publisher.ts";
import type { CallMessage } from "../wire/messages.ts";
import { isUrgent, type Priority, type Queue } from "../wire/names.ts";
import type { Breaker } from "./breaker.ts";
import { type CheckedConfig, slotsOf } from "./config.ts";
import { ensureConsumer } from "./consumers.ts";
import type { Delivered } from "./delivered.ts";
import { Pull } from "./pull.ts";
import { RateGate } from "./rate-gate.ts";
import { SlotGate } from "./slot-gate.ts";

export interface IntakeParts {
  connection: NatsConnection;
  publisher: AckedPublisher;
  names: FleetNames;
  config: CheckedConfig;
  source: ToolSource;
  breaker: Breaker;
  inboxPrefix: string | undefined;
  allows(tool: AnyTool): boolean;
  isOfferedElsewhere(tool: string): boolean;
  handle(message: Delivered): Promise<void>;
  /** Told when the worker takes other calls than before. */
  onChange(): void;
}

interface Open {
  queue: string;
  tool: AnyTool;
  consumer: string;
  pull: Pull;
}

const CHECK_MS = 1_000;

/** What a worker takes from the queue: a consumer for each queue of its tools, and the rates at which calls may start. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #open: Open[] = [];
  readonly #rates = new Map<string, RateGate>();
  readonly #slots = new Map<string, SlotGate>();
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

  /** Resolves when a call of the tool may start; false when it may not start here any more. */
  admit({ name }: AnyTool, key: string, subject: string): Promise<boolean> | true {
    const rate = this.#rates.get(name);
    const slots = this.#slots.get(name);
    if (slots === undefined) return rate?.pass() ?? true;
    const entered = slots.enter(key, isUrgent(subject));
    return rate === undefined ? entered : entered.then((inside) => inside && rate.pass());
  }

  /** The call is over, whether it was admitted or not. */
  release({ key, call }: CallMessage): void {
    this.#slots.get(call.name)?.leave(key);
  }

  /** The connection broke, and the server forgot what it was asked for. */
  forget(): void {
    for (const { pull } of this.#open) pull.forget();
    for (const rate of this.#rates.values()) rate.forget();
  }

  /** Takes nothing new; what waits for its turn to start goes back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#unlisten();
    for (const gate of [...this.#rates.values(), ...this.#slots.values()]) gate.close();
    await Promise.all(this.#open.map(({ pull }) => pull.stop()));
  }

  /** Nothing runs any more. */
  close(): void {
    for (const gate of this.#slots.values()) gate.abandon();
  }

  async deleteConsumers(): Promise<void> {
    const { connection, names } = this.#parts;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    for (const { consumer } of this.#open)
      await manager.consumers.delete(names.stream, consumer).catch(() => false);
  }

  async #openAll(): Promise<void> {
    this.#version = this.#parts.source.version;
    const manager = await jetstreamManager(this.#parts.connection, { checkAPI: false });
    const queues = this.#queues();
    for (const [queue, { tool, ...where }] of queues) {
      if (!this.#open.some((each) => each.queue === queue)) await this.#consume(manager, tool, queue, where);
    }
    await this.#limit([...queues.values()]);
    this.#turn();
  }

  /** For calls of any version of a tool, for each major version it has, and for each lane. */
  #queues(): Map<string, Queue & { tool: AnyTool }> {
    const { config, source } = this.#parts;
    const lanes: Priority[] = config.priorities ? ["normal", "high", "low"] : ["normal"];
    const queues = new Map<string, Queue & { tool: AnyTool }>();
    for (const tool of source.tools()) {
      const { name, version } = tool;
      const majors = [undefined, ...(version === undefined ? [] : [Number(version.split(".")[0])])];
      for (const major of majors) {
        for (const priority of lanes) {
          const limits = major === undefined ? source.get(name)! : tool;
          queues.set(`${name}@${major}/${priority}`, { name, major, priority, tool: limits });
        }
      }
    }
    return queues;
  }

  async #consume(manager: JetStreamManager, tool: AnyTool, id: string, queue: Queue): Promise<void> {
    const { connection, names, config, inboxPrefix } = this.#parts;
    const { stream, ackWaitMs } = names;
    const { concurrency } = tool;
    const options = { stream, suffix: config.consumer_name_suffix, ackWaitMs, concurrency };
    const consumer = await ensureConsumer(manager, queue, options);
    const share = slotsOf(tool, config);
    const pull = new Pull(connection, {
      stream,
      consumer,
      slots: queue.priority === "low" ? Math.max(1, Math.floor(share / 4)) : share,
      inboxPrefix,
      handle: this.#parts.handle,
      repair: async () => void (await ensureConsumer(manager, queue, options)),
    });
    this.#open.push({ queue: id, tool, consumer, pull });
  }

  /** Rates, and concurrencies that no single consumer sees whole. */
  async #limit(queues: readonly Queue[]): Promise<void> {
    const { connection, publisher, names, source } = this.#parts;
    const { replicas } = names;
    for (const name of new Set(queues.map((queue) => queue.name))) {
      const { rate, concurrency: limit } = source.get(name)!;
      if (rate !== undefined && !this.#rates.has(name))
        this.#rates.set(name, await RateGate.open(connection, publisher, name, { ...rate, replicas }));
      const isSplit = queues.filter((queue) => queue.name === name).length > 1;
      if (limit === undefined || !isSplit || this.#slots.has(name)) continue;
      const slots = { limit, leaseMs: names.ackWaitMs, replicas };
      this.#slots.set(name, await SlotGate.open(connection, publisher, name, slots));
    }
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
    const { source, breaker } = this.#parts;
    for (const { tool, pull } of this.#open) {
      const { name } = tool;
      if (source.get(name) !== undefined && breaker.reason(name) === undefined && this.#takes(tool))
        pull.start();
      else void pull.stop();
    }
  }

  /** Calls of a tool that may not run here are taken to answer them so, unless another worker may run it. */
  #takes(tool: AnyTool): boolean {
    return this.#parts.allows(tool) || !this.#parts.isOfferedElsewhere(tool.name);
  }
}
