import {
  type AnyTool,
  combineSources,
  type Duration,
  type EventStream,
  Executor,
  Redactor,
  ToolrigError,
  type ToolSource,
  type Waits,
} from "@toolrig/core";
import { compileAllowlist, defined, definitionIn, newId, parseDuration, sourceOf } from "@toolrig/core/kit";
import { type ApprovalChecks, publicKeys, signedApprover } from "../wire/signed-approval.ts";
import { Breaker } from "./breaker.ts";
import { claimedLedger } from "./claimed-ledger.ts";
import { type CheckedConfig, CONFIG_SCHEMA, checkConfig, type Port } from "./config.ts";
import { newCounters } from "./deliver/counters.ts";
import {
  type DataFlow,
  INPUT_PORTS,
  metaOf,
  OUTPUT_PORTS,
  type WorkerHealth,
  type WorkerMeta,
} from "./description.ts";
import { withLimits } from "./limited-source.ts";
import { type NatsWorkerOptions, natsWorkerOptions } from "./options.ts";
import { waitsOfSession } from "./parked/parked-waits.ts";
import { RunningCode } from "./running-code.ts";
import { Session } from "./session.ts";
import { Turns } from "./turns.ts";

type Life =
  | { state: "new" | "stopped"; session?: never }
  | { state: "ready" | "running" | "draining"; session: Session };

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
  readonly #backgroundOf: (tool: AnyTool) => number | undefined;
  readonly #executor: Executor;
  readonly #breaker: Breaker;
  readonly #code = new RunningCode();
  readonly #startedAt = Date.now();
  readonly #turns = new Turns<"ready" | "running" | "stopped">();
  #life: Life = { state: "new" };
  #counters = newCounters();

  constructor(options: NatsWorkerOptions) {
    natsWorkerOptions.check(options);
    const {
      nats: _,
      fleet: __,
      probe: ___,
      callers: ____,
      approvalKeys,
      config,
      tools,
      globalTools = true,
      ...rest
    } = options;
    this.#options = options;
    this.#config = checkConfig(config ?? {});
    const own = sourceOf(tools);
    const offered = globalTools && tools !== undefined ? combineSources(own, sourceOf(undefined)) : own;
    const limited = withLimits(offered, this.#config.tools);
    this.#source = this.#code.watch(limited);
    this.#backgroundOf = ({ name, version }) =>
      limited.get(name, version === undefined ? undefined : `=${version}`)?.backgroundMs;
    const { allowed_tools } = this.#config;
    const refusal = compileAllowlist(allowed_tools);
    this.#allows = (tool) => refusal(tool, this.#source) === undefined;
    const { breaker_failures: failures, breakerCooldownMs: cooldownMs } = this.#config;
    this.#breaker = new Breaker({ failures, cooldownMs });
    const approve =
      approvalKeys === undefined
        ? options.approve
        : signedApprover(this.#approvalChecks(approvalKeys), options.approve);
    this.#executor = new Executor({
      ...rest,
      ledger: claimedLedger(
        {
          isClaimed: (id) => this.#life.session?.isClaimed(id) ?? true,
          isParked: (id) => this.#life.session?.parked.isParked(id) ?? false,
          begin: (id) => this.#session.parked.begin(id),
          settled: (id, result) => this.#session.parked.settled(id, result),
        },
        rest.ledger,
      ),
      waits: waitsOfSession(() => this.#life.session?.waits),
      // An approval is asked for and kept wherever its approver does: the call is held meanwhile.
      ...(approve !== undefined && { approve: (request) => approve({ ...request, holds: true }) }),
      tools: this.#source,
      timeout: this.#config.timeout,
      ...defined({ allow: allowed_tools }),
    });
  }

  /** What happens to the calls that run here. */
  get events(): EventStream {
    return this.#executor.events;
  }

  /** What it offers and what it only has: the tools of this worker. */
  get tools(): ToolSource {
    return this.#source;
  }

  /** Connects, and creates or checks what the fleet keeps on the server. */
  initialize(): Promise<void> {
    return this.#turns.take("ready", async () => {
      if (this.#life.session === undefined) await this.#open();
    });
  }

  /** Starts to take calls. A stopped worker can be started again, and one that stops is once it has. */
  start(): Promise<void> {
    return this.#turns.take("running", async () => {
      if (this.#life.state === "running") return;
      const session = this.#life.session ?? (await this.#open());
      try {
        await session.start();
      } catch (error) {
        await this.#end(session, 0);
        throw error;
      }
      this.#life = { state: "running", session };
    });
  }

  /**
   * Takes nothing new, finishes what runs or hands it back after `timeout`. A start that is under way is waited for; who
   * stops a worker that stops waits until it has.
   */
  async stop(timeout: Duration = "30s"): Promise<void> {
    const timeoutMs = parseDuration(timeout, "timeout");
    await this.#turns.take("stopped", async () => {
      if (this.#life.session !== undefined) await this.#end(this.#life.session, timeoutMs);
    });
  }

  health(): WorkerHealth {
    const { state, session } = this.#life;
    const connected = session?.connected ?? false;
    const resting = this.#source.tools().flatMap(({ name }) => {
      const reason = this.#breaker.reasonForSome(name);
      return reason === undefined ? [] : [{ tool: name, reason }];
    });
    const healthy = state === "running" && connected;
    return { ...this.#executor.health(), state, healthy, connected, resting };
  }

  meta(): WorkerMeta {
    return metaOf(this.id);
  }

  dataFlow(): DataFlow {
    const seconds = Math.max(1, (Date.now() - this.#startedAt) / 1_000);
    const { ran, failed } = this.#counters;
    return {
      ...this.#counters,
      callsPerSecond: ran / seconds,
      errorRate: ran === 0 ? 0 : failed / ran,
      inFlight: this.#inFlight,
    };
  }

  configSchema(): typeof CONFIG_SCHEMA {
    return CONFIG_SCHEMA;
  }

  /** Every subject that calls come in on: the fleet's own, and those of the configuration. */
  inputPorts(): Port[] {
    return activePorts(INPUT_PORTS, this.#config.ports?.inputs);
  }

  /** Every subject that results go out on. */
  outputPorts(): Port[] {
    return activePorts(OUTPUT_PORTS, this.#config.ports?.outputs);
  }

  /** What calls of the fleet wait for, and how that ends: calls of this worker's tools are seen through here. */
  get waits(): Waits {
    return this.#executor.waits;
  }

  get #session(): Session {
    const { session } = this.#life;
    if (session !== undefined) return session;
    throw new ToolrigError(
      "STORE_FAILED",
      "This worker is not connected, so what calls wait for cannot be reached.",
    );
  }

  get #inFlight(): number {
    return this.#life.session?.running.size ?? 0;
  }

  #approvalChecks(approvalKeys: readonly string[]): ApprovalChecks {
    return {
      keys: publicKeys(approvalKeys),
      callOf: (executionId) => this.#life.session?.running.ofExecution(executionId)?.call,
      definitionOf: (tool) => definitionIn(this.#source, tool),
      rememberedMs: () => this.#life.session?.ledgerTtlMs ?? 0,
    };
  }

  async #end(session: Session, timeoutMs: number): Promise<void> {
    this.#life = { state: "draining", session };
    try {
      await session.stop(timeoutMs);
    } finally {
      this.#life = { state: "stopped" };
    }
  }

  async #open(): Promise<Session> {
    const { nats, fleet = {}, callers, probe, hooks, guards = [], store, redact } = this.#options;
    const counters = newCounters();
    this.id = newId("worker").replace(".", "-");
    const session = await Session.open({
      id: this.id,
      startedAt: this.#startedAt,
      nats,
      fleet,
      config: this.#config,
      source: this.#source,
      allows: this.#allows,
      backgroundOf: this.#backgroundOf,
      guarded: hooks !== undefined || guards.length > 0,
      executor: this.#executor,
      breaker: this.#breaker,
      counters,
      callers,
      code: this.#code,
      probe,
      losses: store && { store, redactor: redact instanceof Redactor ? redact : new Redactor(redact) },
    });
    this.#code.resume();
    this.#counters = counters;
    this.#executor.start();
    this.#life = { state: "ready", session };
    return session;
  }
}

/** A configured port may also name one of the fleet's own subjects. */
function activePorts(own: readonly Port[], configured: readonly Port[] = []): Port[] {
  const named = new Set(configured.map(({ subject }) => subject));
  return [...own.filter(({ subject }) => !named.has(subject)), ...configured];
}
