import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import {
  type AnyTool,
  type Duration,
  Executor,
  type ExecutorOptions,
  isToolSource,
  newId,
  parseDuration,
  processTools,
  Registry,
  type ToolSource,
} from "@toolrig/core";
import { AckedPublisher } from "../acked-publisher.ts";
import { CallJournal } from "../call-journal.ts";
import { type NatsOptions, open } from "../connection.ts";
import { Fleet } from "../fleet.ts";
import { consumerName, consumerNames, executeSubject, SUBJECT } from "../names.ts";
import { Payloads } from "../payload.ts";
import { type FleetNames, type FleetOptions, setUp } from "../setup.ts";
import { CallRunner, type Probe } from "./call-runner.ts";
import { CONFIG_SCHEMA, checkConfig, type Port, type WorkerConfig } from "./config.ts";
import { type OfferedTool, Presence, type WorkerCard } from "./presence.ts";
import { Pull } from "./pull.ts";
import { RateGate } from "./rate-gate.ts";

export interface NatsWorkerOptions extends Omit<ExecutorOptions, "tools" | "allow" | "timeout"> {
  nats: NatsOptions;
  tools?: ExecutorOptions["tools"];
  config?: WorkerConfig;
  fleet?: FleetOptions;
  /** For tests: told where each call is. */
  probe?: Probe;
}

type State = "new" | "ready" | "running" | "draining" | "stopped";

/** Runs the calls of a fleet: takes them from JetStream, runs them through a local executor, journals what came of them. */
export class NatsWorker {
  readonly id = newId("worker").replace(".", "-");
  readonly #options: NatsWorkerOptions;
  readonly #config: ReturnType<typeof checkConfig>;
  readonly #source: ToolSource;
  readonly #executor: Executor;
  readonly #startedAt = Date.now();
  #state: State = "new";
  #connection: NatsConnection | undefined;
  #publisher: AckedPublisher | undefined;
  #runner: CallRunner | undefined;
  #presence: Presence | undefined;
  #fleet: Fleet | undefined;
  #names: FleetNames | undefined;
  #consuming: { name: string; pull: Pull }[] = [];

  constructor(options: NatsWorkerOptions) {
    const { nats: _, fleet: __, probe: ___, config = {}, tools, ...rest } = options;
    this.#options = options;
    this.#config = checkConfig(config);
    this.#source = tools === undefined ? processTools : isToolSource(tools) ? tools : new Registry(tools);
    this.#executor = new Executor({
      ...rest,
      tools: this.#source,
      timeout: this.#config.timeout,
      ...(config.allowed_tools !== undefined && { allow: config.allowed_tools }),
    });
  }

  /** Connects, and creates or checks what the fleet keeps on the server. */
  async initialize(): Promise<void> {
    const { nats, fleet = {} } = this.#options;
    const connection = await open(nats, this.id);
    this.#connection = connection;
    this.#names = await setUp(connection, { stream: this.#config.stream_name, ...fleet });
    this.#publisher = new AckedPublisher(connection);
    const journal = await CallJournal.open(connection, this.#publisher, this.#names.journal);
    this.#runner = new CallRunner({
      worker: this.id,
      connection,
      publisher: this.#publisher,
      journal,
      payloads: new Payloads(connection, this.#names.objects),
      executor: this.#executor,
      source: this.#source,
      ackWaitMs: this.#names.ackWaitMs,
      maxAttempts: this.#config.max_attempts,
      probe: this.#options.probe,
    });
    this.#state = "ready";
  }

  /** Starts to take calls. */
  async start(): Promise<void> {
    if (this.#state === "new") await this.initialize();
    const connection = this.#connection!;
    const runner = this.#runner!;
    connection.subscribe(`${SUBJECT.cancel}.>`, {
      callback: (_error, message) => runner.cancel(message.subject.slice(SUBJECT.cancel.length + 1)),
    });
    const workers = await new Kvm(connection).open(this.#names!.workers, { allow_direct: true });
    this.#presence = new Presence(
      connection,
      workers,
      () => this.#card(),
      (key) => runner.isRunning(key),
    );
    await this.#presence.start();
    this.#fleet = await Fleet.open(connection, this.#names!.workers);
    connection.subscribe(SUBJECT.list, {
      queue: "tool-list",
      callback: (_error, message) => {
        message.respond(JSON.stringify({ tools: this.#fleet!.offers() }));
      },
    });
    for (const group of this.#groups()) await this.#consume(group);
    this.#state = "running";
  }

  /** Takes nothing new, finishes what runs or hands it back after `timeout`. */
  async stop(timeout: Duration = "30s"): Promise<void> {
    if (this.#state === "stopped") return;
    this.#state = "draining";
    await Promise.all(this.#consuming.map(({ pull }) => pull.stop()));
    const deadline = Date.now() + parseDuration(timeout, "timeout");
    while ((this.#runner?.inFlight ?? 0) > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await this.#executor.stop();
    this.#fleet?.close();
    await this.#presence?.stop();
    if (this.#config.delete_consumer_on_stop) await this.#deleteConsumers();
    this.#runner?.close();
    this.#publisher?.close();
    await this.#connection?.drain();
    this.#state = "stopped";
  }

  health() {
    const connected = this.#connection !== undefined && !this.#connection.isClosed();
    const healthy = this.#state === "running" && connected;
    return { ...this.#executor.health(), state: this.#state, healthy, connected };
  }

  meta() {
    return {
      name: "toolrig-worker",
      type: "processor",
      description: "Runs tool calls from JetStream",
      version: "0.1.0",
      id: this.id,
    };
  }

  dataFlow() {
    const seconds = Math.max(1, (Date.now() - this.#startedAt) / 1_000);
    const counters = this.#runner?.counters ?? {
      received: 0,
      ran: 0,
      duplicates: 0,
      buried: 0,
      fenced: 0,
      errors: 0,
    };
    return { ...counters, callsPerSecond: counters.ran / seconds, inFlight: this.#runner?.inFlight ?? 0 };
  }

  configSchema() {
    return CONFIG_SCHEMA;
  }

  inputPorts(): Port[] {
    return (
      this.#config.ports?.inputs ?? [
        { name: "tool.execute", subject: `${SUBJECT.execute}.>`, type: "jetstream", description: "Calls" },
      ]
    );
  }

  outputPorts(): Port[] {
    return (
      this.#config.ports?.outputs ?? [
        { name: "tool.result", subject: `${SUBJECT.result}.*`, type: "jetstream", description: "Results" },
      ]
    );
  }

  /** One consumer for calls of any version of a tool, and one for each major version it has. */
  #groups(): { tool: AnyTool; major: number | undefined }[] {
    const groups = new Map<string, { tool: AnyTool; major: number | undefined }>();
    for (const tool of this.#source.tools()) {
      const newest = this.#source.get(tool.name)!;
      groups.set(tool.name, { tool: newest, major: undefined });
      if (tool.version === undefined) continue;
      const major = Number(tool.version.split(".")[0]);
      if (!groups.has(`${tool.name}@${major}`)) groups.set(`${tool.name}@${major}`, { tool, major });
    }
    return [...groups.values()];
  }

  async #consume({ tool, major }: { tool: AnyTool; major: number | undefined }): Promise<void> {
    const connection = this.#connection!;
    const { stream, ackWaitMs } = this.#names!;
    const unique = consumerNames(this.#source.tools().map((each) => each.name));
    const name = consumerName(unique(tool.name), major, this.#config.consumer_name_suffix);
    const manager = await jetstreamManager(connection);
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: executeSubject(tool.name, major),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_deliver: -1,
      // What waits for an acknowledgement is what runs: a tool's concurrency holds across the whole fleet.
      max_ack_pending: tool.concurrency ?? 1_000,
    });
    const consumer = await jetstream(connection).consumers.get(stream, name);
    const gate =
      tool.rate === undefined ? undefined : await RateGate.open(connection, tool, this.#publisher!);
    const slots = Math.min(this.#config.concurrency, tool.concurrency ?? this.#config.concurrency);
    const pull = new Pull(consumer, slots, async (message) => {
      if (gate === undefined || (await gate.pass(message))) await this.#runner!.handle(message);
    });
    pull.start();
    this.#consuming.push({ name, pull });
  }

  async #deleteConsumers(): Promise<void> {
    const manager = await jetstreamManager(this.#connection!);
    for (const { name } of this.#consuming)
      await manager.consumers.delete(this.#names!.stream, name).catch(() => false);
  }

  #card(): WorkerCard {
    const tools = this.#source.tools().map((tool): OfferedTool => {
      const available = tool.available();
      const { sideEffects, idempotent } = tool.safety;
      return {
        ...tool.definition,
        provider: this.#source.providerOf?.(tool) ?? "local",
        available: available === true,
        ...(available !== true && { reason: available }),
        safety: { sideEffects, idempotent },
      };
    });
    return {
      id: this.id,
      startedAt: this.#startedAt,
      at: Date.now(),
      running: this.#runner?.inFlight ?? 0,
      tools,
    };
  }
}
