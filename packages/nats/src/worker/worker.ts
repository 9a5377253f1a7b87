import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AnyTool, type Duration, Executor, type ExecutorOptions, type ToolSource } from "@toolrig/core";
import { compileAllowlist, newId, parseDuration, satisfies, sourceOf } from "@toolrig/core/kit";
import { Fleet } from "../fleet/fleet.ts";
import { type FleetNames, type FleetOptions, setUp } from "../fleet/setup.ts";
import type { WorkerCard } from "../fleet/worker-card.ts";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { CallLedger } from "../wire/call-ledger.ts";
import { type NatsOptions, open } from "../wire/connection.ts";
import { SUBJECT } from "../wire/names.ts";
import { Payloads } from "../wire/payload.ts";
import { publicKeys, signedApprover } from "../wire/signed-approval.ts";
import { Breaker } from "./breaker.ts";
import { CallRunner, NO_COUNTS, type Probe, type RunnerCounters } from "./call-runner.ts";
import { claimedLedger } from "./claimed-ledger.ts";
import {
  type CheckedConfig,
  CONFIG_SCHEMA,
  checkConfig,
  type Port,
  slotsOf,
  type WorkerConfig,
} from "./config.ts";
import { Intake } from "./intake.ts";
import { withLimits } from "./limited-source.ts";
import { type Metric, WorkerMetrics } from "./metrics.ts";
import { offerOf } from "./offer.ts";
import { Presence } from "./presence.ts";

export interface NatsWorkerOptions extends Omit<ExecutorOptions, "tools" | "allow" | "timeout"> {
  nats: NatsOptions;
  tools?: ExecutorOptions["tools"];
  config?: WorkerConfig;
  fleet?: FleetOptions;
  /** Ed25519 public keys in PEM. A call that needs approval runs if one of their holders signed for it. */
  approvalKeys?: readonly string[];
  /** For tests: told where each call is. */
  probe?: Probe;
}

type State = "new" | "ready" | "running" | "draining" | "stopped";

/** What exists between `initialize` and `stop`. */
interface Session {
  connection: NatsConnection;
  names: FleetNames;
  publisher: AckedPublisher;
  runner: CallRunner;
  intake: Intake;
  fleet?: Fleet;
  presence?: Presence;
}

/**
 * Runs the calls of a fleet: takes them from JetStream, runs them through a local executor, and writes what came of
 * them into the ledger.
 *
 * @example
 * ```ts
 * import { tool } from "@toolrig/core";
 * import { NatsWorker } from "@toolrig/nats";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const worker = new NatsWorker({ nats: { servers: "nats://127.0.0.1:4222" }, tools: [ping] });
 * await worker.start();
 * console.log(worker.health().state); //=> running
 * await worker.stop("30s"); // at SIGTERM: finishes what runs, hands back the rest
 * ```
 */
export class NatsWorker {
  /** Of this incarnation: another one after every start. */
  id = "";
  readonly #options: NatsWorkerOptions;
  readonly #config: CheckedConfig;
  readonly #source: ToolSource;
  readonly #allows: (tool: AnyTool) => boolean;
  readonly #executor: Executor;
  readonly #breaker: Breaker;
  readonly #metrics = new WorkerMetrics();
  readonly #startedAt = Date.now();
  #state: State = "new";
  #session: Session | undefined;
  #counters: RunnerCounters = NO_COUNTS;

  constructor(options: NatsWorkerOptions) {
    const { nats: _, fleet: __, probe: ___, approvalKeys, config = {}, tools, ...rest } = options;
    this.#options = options;
    this.#config = checkConfig(config);
    this.#source = withLimits(sourceOf(tools), this.#config.tools);
    const refusal = compileAllowlist(config.allowed_tools);
    this.#allows = (tool) => refusal(tool, this.#source) === undefined;
    this.#breaker = new Breaker({
      failures: this.#config.breaker_failures,
      cooldownMs: this.#config.breakerCooldownMs,
    });
    const approve =
      approvalKeys === undefined
        ? options.approve
        : signedApprover(publicKeys(approvalKeys), (id) => this.#session?.runner.callOf(id), options.approve);
    this.#executor = new Executor({
      ledger: claimedLedger,
      ...rest,
      ...(approve !== undefined && { approve }),
      tools: this.#source,
      timeout: this.#config.timeout,
      ...(config.allowed_tools !== undefined && { allow: config.allowed_tools }),
    });
    this.#executor.events.on((event) => this.#metrics.observe(event));
  }

  /** Connects, and creates or checks what the fleet keeps on the server. */
  async initialize(): Promise<void> {
    const { nats, fleet = {}, probe } = this.#options;
    this.id = newId("worker").replace(".", "-");
    const connection = await open(nats, this.id);
    try {
      const names = await setUp(connection, { stream: this.#config.stream_name, ...fleet });
      const { inboxPrefix } = nats;
      const publisher = new AckedPublisher(connection, inboxPrefix === undefined ? {} : { inboxPrefix });
      const intake = new Intake({
        connection,
        publisher,
        names,
        config: this.#config,
        source: this.#source,
        breaker: this.#breaker,
        inboxPrefix,
        allows: this.#allows,
        isOfferedElsewhere: (tool) => this.#isOfferedElsewhere(tool, undefined),
        handle: (message) => runner.handle(message),
        onChange: () => void this.#session?.presence?.renew().catch(() => {}),
      });
      const runner = new CallRunner({
        worker: this.id,
        connection,
        publisher,
        ledger: await CallLedger.open(connection, publisher, names.ledger),
        payloads: new Payloads(connection, names),
        executor: this.#executor,
        source: this.#source,
        ackWaitMs: names.ackWaitMs,
        maxAttempts: this.#config.max_attempts,
        probe,
        admit: (tool, key, subject) => intake.admit(tool, key, subject),
        release: (call) => intake.release(call),
        canRunElsewhere: ({ call, range }) => this.#isOfferedElsewhere(call.name, range),
        observe: (tool, result) => this.#breaker.observe(tool.name, result),
      });
      this.#session = { connection, names, publisher, runner, intake };
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#counters = this.#session.runner.counters;
    this.#executor.start();
    this.#state = "ready";
  }

  /** Starts to take calls. A stopped worker can be started again. */
  async start(): Promise<void> {
    if (this.#state === "running") return;
    if (this.#state !== "ready") await this.initialize();
    try {
      await this.#begin(this.#session!);
    } catch (error) {
      await this.stop(0);
      throw error;
    }
    this.#state = "running";
  }

  /** Takes nothing new, finishes what runs or hands it back after `timeout`. */
  async stop(timeout: Duration = "30s"): Promise<void> {
    const session = this.#session;
    if (session === undefined || this.#state === "draining") return;
    this.#state = "draining";
    await session.intake.stop();
    if (!(await session.runner.idle(parseDuration(timeout, "timeout")))) {
      session.runner.giveUp();
      await this.#executor.stop();
      await session.runner.idle(5_000);
    }
    await this.#executor.stop();
    session.fleet?.close();
    await session.presence?.stop();
    if (this.#config.delete_consumer_on_stop) await session.intake.deleteConsumers();
    session.runner.close();
    session.intake.close();
    await session.connection.drain().catch(() => {});
    session.publisher.close();
    this.#session = undefined;
    this.#state = "stopped";
  }

  health() {
    const { connection } = this.#session ?? {};
    const connected = connection !== undefined && !connection.isClosed();
    const healthy = this.#state === "running" && connected;
    const resting = this.#source.tools().flatMap(({ name }) => {
      const reason = this.#breaker.reason(name);
      return reason === undefined ? [] : [{ tool: name, reason }];
    });
    return { ...this.#executor.health(), state: this.#state, healthy, connected, resting };
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
    const { ran, failed } = this.#counters;
    return {
      ...this.#counters,
      callsPerSecond: ran / seconds,
      errorRate: ran === 0 ? 0 : failed / ran,
      inFlight: this.#session?.runner.inFlight ?? 0,
    };
  }

  /** For `prometheusText`, or to be read as it is. */
  metrics(): Metric[] {
    return this.#metrics.snapshot({
      registered: this.#source.tools().length,
      inFlight: this.#session?.runner.inFlight ?? 0,
      counters: this.#counters,
    });
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

  async #begin(session: Session): Promise<void> {
    const { connection, runner, names } = session;
    connection.subscribe(`${SUBJECT.cancel}.>`, {
      callback: (_error, message) => runner.cancel(message.subject.slice(SUBJECT.cancel.length + 1)),
    });
    const workers = await new Kvm(connection).open(names.workers, { allow_direct: true });
    session.presence = new Presence(
      connection,
      workers,
      () => this.#card(),
      (key) => runner.isRunning(key),
    );
    await session.presence.start();
    session.fleet = await Fleet.open(connection, names);
    connection.subscribe(SUBJECT.list, {
      queue: "tool-list",
      callback: (_error, message) => {
        message.respond(JSON.stringify({ tools: session.fleet!.offers() }));
      },
    });
    await session.intake.start();
    void this.#watch(session);
  }

  /** A server forgets what it was asked for when a connection breaks. */
  async #watch(session: Session): Promise<void> {
    for await (const status of session.connection.status()) {
      if (status.type !== "reconnect") continue;
      session.intake.forget();
      await session.presence?.renew().catch(() => {});
    }
  }

  #isOfferedElsewhere(tool: string, range: string | undefined): boolean {
    const workers = this.#session?.fleet?.workers() ?? [];
    return workers.some(
      ({ id, tools }) =>
        id !== this.id &&
        tools.some(
          ({ name, version, allowed }) =>
            name === tool && allowed !== false && (range === undefined || satisfies(version, range)),
        ),
    );
  }

  #card(): WorkerCard {
    const { ran, failed } = this.#counters;
    return {
      id: this.id,
      startedAt: this.#startedAt,
      at: Date.now(),
      running: this.#session?.runner.inFlight ?? 0,
      ran,
      failed,
      ...(this.#config.priorities && { lanes: true }),
      tools: this.#source.tools().map((tool) =>
        offerOf(this.#source, tool, {
          refused: !this.#allows(tool),
          resting: this.#breaker.reason(tool.name),
          slots: slotsOf(tool, this.#config),
        }),
      ),
    };
  }
}
