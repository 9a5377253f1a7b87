import { setTimeout as pause } from "node:timers/promises";
import { type KV, Kvm } from "@nats-io/kv";
import { type Msg, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { type Executor, ToolrigError } from "@toolrig/core";
import type { MaybePromise } from "@toolrig/core/kit";
import { Fleet } from "../fleet/fleet.ts";
import { type FleetNames, type FleetOptions, setUp } from "../fleet/setup.ts";
import { KvWaits } from "../store/waits.ts";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { answer } from "../wire/answer.ts";
import { CallLedger } from "../wire/call-ledger.ts";
import { leave, type NatsOptions, open, withoutSeed } from "../wire/connection.ts";
import { accepted, listen, type Refusals } from "../wire/listen.ts";
import { keyPrefix, SUBJECT } from "../wire/names.ts";
import { consumerNeeds, workerNeeds } from "../wire/needs.ts";
import { Payloads } from "../wire/payload.ts";
import { checkPermissions } from "../wire/permissions.ts";
import { isRelayed } from "../wire/relayed.ts";
import { Signatures } from "../wire/signature.ts";
import { type CardParts, cardOf } from "./card.ts";
import type { CheckedConfig } from "./config.ts";
import { deliver } from "./deliver/deliver.ts";
import { forwardProgress } from "./deliver/forward-progress.ts";
import type { DeliveryParts, Probe } from "./deliver/parts.ts";
import { renewLeases } from "./deliver/renew-leases.ts";
import { RunningCalls } from "./deliver/running-calls.ts";
import { stillClaimed } from "./deliver/still-claimed.ts";
import { Suspects } from "./deliver/suspects.ts";
import { checkFit, type Unfit, unfitFor } from "./fit.ts";
import { Gates } from "./gates/gates.ts";
import { listenToPorts } from "./input-ports.ts";
import { Intake } from "./intake/intake.ts";
import { listenForCompletions } from "./parked/completions.ts";
import { Early } from "./parked/early.ts";
import { ParkedCalls } from "./parked/parked-calls.ts";
import { ParkedWaits } from "./parked/parked-waits.ts";
import { Peers } from "./peers.ts";
import { PlainResults } from "./plain-results.ts";
import { Presence } from "./presence.ts";
import type { RunningCode } from "./running-code.ts";
import { StrayCalls } from "./stray-calls.ts";
import { toolList } from "./tool-list.ts";

export interface SessionParts extends Omit<CardParts, "unfit"> {
  nats: NatsOptions;
  fleet: FleetOptions;
  executor: Executor;
  callers: DeliveryParts["callers"];
  code: RunningCode;
  probe: Probe | undefined;
  losses: DeliveryParts["losses"];
}

/** What had to be asked of the server. */
interface Link {
  connection: NatsConnection;
  names: FleetNames;
  publisher: AckedPublisher;
  ledger: CallLedger;
  cards: KV;
  kept: KvWaits;
}

/** What a server takes in a message that says nothing of it, and room in it for what is not the answer. */
const MIN_PAYLOAD = 65_536;
const HEADROOM = 4_096;
/** How long calls may take to end that were cut off. */
const CUT_OFF_MS = 5_000;
/** How long the server may take to hear of a farewell. */
const GOODBYE_MS = 2_000;
/** How long it may take to delete the consumers of many tools. */
const DELETE_MS = 30_000;
const CHECK_MS = 100;

const ANSWER_MS = 10_000;
/** In ack waits: after so long without a taker, calls are strays. */
const STRAY_AFTER = 5;

/** What exists of a worker between `initialize` and `stop`. Takes calls once it is started. */
export class Session {
  readonly running = new RunningCalls();
  readonly waits: ParkedWaits;
  readonly parked: ParkedCalls;
  readonly #early: Early;
  readonly #refusals: Refusals = [];
  readonly #parts: SessionParts;
  readonly #link: Link;
  readonly #fleet: Fleet;
  readonly #gates: Gates;
  readonly #unfit: Unfit;
  readonly #presence: Presence;
  readonly #intake: Intake;
  readonly #strays: StrayCalls;
  readonly #signatures: Signatures;
  #stopPorts = () => {};
  readonly #stopRenewing: () => void;
  readonly #stopForwarding: () => void;
  #online = true;

  private constructor(parts: SessionParts, link: Link) {
    const { running } = this;
    const { id: worker, config, source, executor, breaker, counters, callers, code, probe, losses } = parts;
    const { connection, names, publisher, ledger, cards, kept: store } = link;
    const { ackWaitMs } = names;
    const payloads = new Payloads(connection, { ...names, from: "leader" });
    const fleet = new Fleet(connection, names);
    const peers = new Peers(fleet, worker);
    const gates = new Gates(connection, publisher, names);
    const unfit = unfitFor(names, config);
    const card = () => cardOf({ ...parts, unfit }, running.size);
    const presence = new Presence({
      connection,
      cards,
      bucket: names.workers,
      worker,
      running,
      refusals: this.#refusals,
      card,
    });
    const plainResults = new PlainResults({ connection, payloads, prefixes: resultPrefixes(config) });
    const shared = { worker, connection, publisher, ledger, payloads, plainResults, source, executor };
    const has = (name: string) => {
      const tool = source.get(name);
      return tool !== undefined && parts.allows(tool);
    };
    const parked = new ParkedCalls({ ...shared, has, counters, running }, () => this.waits);
    const { ledgerTtlMs } = names;
    const signatures = new Signatures(callers);
    const keep = (key: string) => parked.keep(key);
    this.parked = parked;
    this.waits = new ParkedWaits({ ...shared, has, store, running, ledgerTtlMs, keep });
    const early = new Early({ ledger, store: this.waits, kept: store, waits: executor.waits });
    this.#early = early;
    const delivery: DeliveryParts = {
      ...shared,
      gates,
      breaker,
      peers,
      running,
      parked,
      early,
      suspects: new Suspects(),
      code,
      counters,
      overrunMs: config.overrunMs,
      ackWaitMs,
      maxAttempts: config.max_attempts,
      callers,
      signatures,
      ledgerTtlMs,
      probe,
      losses,
    };
    this.#signatures = signatures;
    this.#parts = parts;
    this.#link = link;
    this.#fleet = fleet;
    this.#gates = gates;
    this.#unfit = unfit;
    this.#presence = presence;
    this.#intake = new Intake({
      connection,
      names,
      config,
      source,
      gates,
      breaker,
      peers,
      inboxPrefix: withoutSeed(parts.nats).inboxPrefix,
      outbox: publisher.outbox,
      imported: callers !== undefined,
      allows: parts.allows,
      unfit,
      handle: (message) => deliver(message, delivery),
      onChange: () => void presence.renew(),
    });
    const { stream } = names;
    const patienceMs = STRAY_AFTER * ackWaitMs;
    this.#strays = new StrayCalls({
      connection,
      stream,
      publisher,
      ledger,
      payloads,
      signatures,
      plainResults,
      counters,
      patienceMs,
    });
    this.#stopRenewing = renewLeases(running, ackWaitMs);
    this.#stopForwarding = forwardProgress(executor.events, {
      connection,
      payloads,
      running,
      parked: (executionId) => this.waits.lookedAt(executionId),
    });
  }

  /** Connects, and creates or checks what the fleet keeps on the server. */
  static async open(parts: SessionParts): Promise<Session> {
    const { nats, fleet, config } = parts;
    const connection = await open(nats, parts.id);
    try {
      const names = await setUp(connection, { stream: config.stream_name, ...fleet });
      const publisher = new AckedPublisher(connection, withoutSeed(nats));
      await publisher.ready();
      const ledger = await CallLedger.open(connection, publisher, { ledger: names.ledger, from: "leader" });
      const cards = await new Kvm(connection).open(names.workers, { allow_direct: true });
      const ttlMs = Number.isFinite(names.ledgerTtlMs) ? 2 * names.ledgerTtlMs : 0;
      const { waits: name, replicas } = names;
      const kept = await KvWaits.open(connection, { name, replicas, ttlMs });
      return new Session(parts, { connection, names, publisher, ledger, cards, kept });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Whether a call that is about to start is still this worker's. */
  isClaimed(executionId: string): MaybePromise<boolean> {
    const { ledger, names } = this.#link;
    return stillClaimed(this.running.ofExecution(executionId), { ledger, ackWaitMs: names.ackWaitMs });
  }

  get ledgerTtlMs(): number {
    return this.#link.names.ledgerTtlMs;
  }

  get connected(): boolean {
    return !this.#link.connection.isClosed();
  }

  /** Becomes visible, gets to know the others, and begins to take calls. Must be stopped even if it rejects. */
  async start(): Promise<void> {
    const { connection } = this.#link;
    checkFit(this.#parts.source.tools(), this.#unfit);
    await checkPermissions(connection, workerNeeds(this.#link.names, resultPrefixes(this.#parts.config)));
    const refusals = this.#refusals;
    // An empty message: what a server or worker was made to say here, as an answer to somebody, is none.
    const cancel = ({ subject, headers, data }: Msg) => {
      if (data.length > 0 || isRelayed(headers) || (headers?.code ?? 0) !== 0) return;
      const key = subject.slice(SUBJECT.cancel.length + 1);
      if (!this.#isOf(keyPrefix(key), { subject, headers, text: "" })) return;
      this.running.cancel(key);
      // Its caller says it again until the call is over.
      void this.parked.cancel(key).catch(() => {});
    };
    listen(connection, `${SUBJECT.cancel}.>`, cancel, { refusals });
    await this.#presence.start();
    await this.#fleet.watch();
    const list = (message: Msg) => {
      const most = (connection.info?.max_payload ?? MIN_PAYLOAD) - HEADROOM;
      answer(message, toolList(this.#fleet.offers(), most));
    };
    listen(connection, SUBJECT.list, list, { queue: "tool-list", refusals });
    const { executor, callers } = this.#parts;
    const signatures = this.#signatures;
    listenForCompletions(connection, {
      waits: executor.waits,
      store: this.waits,
      early: this.#early,
      callers,
      signatures,
      refusals,
    });
    await accepted(connection, refusals);
    await this.#checkAnswers();
    await this.#intake.start();
    await checkPermissions(connection, consumerNeeds(this.#link.names, this.#intake.consumers()));
    this.#strays.start();
    executor.waits.start();
    this.#stopPorts = listenToPorts(connection, this.#link.publisher, this.#parts.config.inputPrefixes);
    void this.#watchConnection();
  }

  /** Takes nothing new, finishes what runs or hands it back after `timeoutMs`. A server that is away is not waited for. */
  async stop(timeoutMs: number): Promise<void> {
    const { config } = this.#parts;
    this.#gates.close();
    this.#strays.stop();
    this.#stopPorts();
    await this.#ifOnline(this.#intake.stop());
    if (!(await this.running.idle(timeoutMs))) {
      this.running.giveUp();
      this.#parts.code.abandon();
      await this.#stopExecutor();
      if (this.#online) await this.running.idle(CUT_OFF_MS);
    }
    await this.#stopExecutor();
    this.#fleet.close();
    await this.#ifOnline(this.#presence.stop());
    if (config.delete_consumer_on_stop) await this.#ifOnline(this.#intake.deleteConsumers(), DELETE_MS);
    await this.#leave();
  }

  /** What it writes of calls that waited is given up when the server is away: another worker writes it. */
  async #stopExecutor(): Promise<void> {
    const stopping = this.#parts.executor.stop().then(() => true);
    while (!(await Promise.race([stopping, pause(CHECK_MS)])))
      if (!this.#online) await this.#link.connection.close();
  }

  async #leave(): Promise<void> {
    const { connection, publisher } = this.#link;
    this.#stopRenewing();
    this.#stopForwarding();
    this.#gates.abandon();
    if (this.#online) await leave(connection);
    else await connection.close();
    publisher.close();
  }

  /** Whether a caller said this, as far as signatures are demanded. */
  #isOf(name: string, said: Parameters<Signatures["check"]>[1]): boolean {
    if (!this.#signatures.demanded) return true;
    try {
      return this.#signatures.check(name, said) > 0;
    } catch {
      return false;
    }
  }

  /** A worker that others ask and do not hear is taken for lost, and its calls run twice. */
  async #checkAnswers(): Promise<void> {
    const { connection } = this.#link;
    const subject = `${SUBJECT.worker}.${this.#parts.id}`;
    const answered = await connection.request(subject, "", { timeout: ANSWER_MS }).catch(() => undefined);
    if (answered !== undefined) return;
    const message = `This worker asked itself on ${subject} and heard nothing within ${ANSWER_MS} ms. Add to its permissions: allow_responses: true.`;
    throw new ToolrigError("CONFIG_INVALID", message);
  }

  /** Waits for what needs the server, but not for long, and not when it is away. Never rejects. */
  async #ifOnline(pending: Promise<unknown>, limitMs = GOODBYE_MS): Promise<void> {
    const until = Date.now() + limitMs;
    const over = pending.then(
      () => true,
      () => true,
    );
    while (this.#online && Date.now() < until) {
      if (await Promise.race([over, pause(CHECK_MS)])) return;
    }
  }

  /** A server forgets what it was asked for when a connection breaks. */
  async #watchConnection(): Promise<void> {
    for await (const status of this.#link.connection.status()) {
      if (status.type === "error" && isRefusedPublish(status.error)) this.#parts.counters.refused += 1;
      if (status.type === "disconnect") this.#online = false;
      if (status.type !== "reconnect") continue;
      this.#online = true;
      this.#intake.forget();
      this.#gates.forget();
      await this.#presence.renew();
    }
  }
}

/** Where plain results are told, without the last token. */
function resultPrefixes({ outputPrefixes }: CheckedConfig): string[] {
  return [SUBJECT.result, ...outputPrefixes];
}

function isRefusedPublish(error: Error): boolean {
  return error instanceof PermissionViolationError && error.operation === "publish";
}
