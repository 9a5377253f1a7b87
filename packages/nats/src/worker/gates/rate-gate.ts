import { DiscardPolicy, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos, PermissionViolationError } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "../../wire/acked-publisher.ts";
import { limitStream, SUBJECT, token } from "../../wire/names.ts";
import { ensureLimitStream } from "../../wire/streams.ts";

export interface FleetRate {
  limit: number;
  perMs: number;
  replicas: number;
}

/** A window this long should outlive a restart of the server; shorter ones are kept in memory. */
const LONG_MS = 60_000;
/**
 * Between a token and the start of its call lies a moment, not always the same. Tokens are kept this much longer than
 * their window, at most a twentieth of it, so that late starts and the next window's do not fall into one.
 */
const SLACK_MS = 40;
const PURGE_MS = 20;

/** A token of this worker: when it was surely there, and its place in the stream. */
interface Token {
  seq: number;
  at: number;
}

/**
 * A rate that holds across the fleet: a stream that keeps at most `limit` messages for one window and refuses more. A call
 * starts when its token was accepted; there is no counter to fight over. The calls of one worker queue up for tokens, so
 * that only workers compete.
 */
export class RateGate {
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #name: string;
  readonly #rate: FleetRate;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  #nextAt = 0;
  /** Oldest first. */
  readonly #taken: Token[] = [];
  #purgedAt = 0;
  #mayPurge = true;

  private constructor(connection: NatsConnection, publisher: AckedPublisher, name: string, rate: FleetRate) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#name = name;
    this.#rate = rate;
  }

  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
    rate: FleetRate,
  ): Promise<RateGate> {
    const gate = new RateGate(connection, publisher, name, rate);
    await gate.#ensure();
    return gate;
  }

  get #keptMs(): number {
    const { perMs } = this.#rate;
    return perMs + Math.min(SLACK_MS, Math.ceil(perMs / 20));
  }

  get #stream(): string {
    return limitStream("TOOL_RATE", this.#name);
  }

  /** Resolves true when the call may start, and false when the gate was closed before. */
  pass(): Promise<boolean> {
    const turn = this.#last.then(() => this.#acquire());
    this.#last = turn;
    return turn;
  }

  /** The server may be another one, and its stream a new one that counts from the start again. */
  forget(): void {
    this.#taken.length = 0;
  }

  close(): void {
    this.#closed = true;
  }

  async #acquire(): Promise<boolean> {
    const { limit, perMs } = this.#rate;
    const subject = `${SUBJECT.rate}.${token(this.#name)}`;
    const pauseMs = Math.min(500, Math.max(2, perMs / limit / 2));
    // A burst that starts a little late would run into the next window's, so one worker spreads its own starts.
    const early = this.#nextAt - performance.now();
    if (early >= 1) await new Promise((resolve) => setTimeout(resolve, early));
    while (!this.#closed) {
      try {
        const { seq } = await this.#publisher.publish(subject, "");
        this.#nextAt = performance.now() + perMs / limit / 2;
        if (seq < (this.#taken.at(-1)?.seq ?? 0)) this.forget();
        this.#taken.push({ seq, at: performance.now() });
        if (this.#taken.length > limit) this.#taken.shift();
        return true;
      } catch (error) {
        const full = error instanceof PublishError && error.isFull;
        if (full && (await this.#clear())) continue;
        if (error instanceof PublishError && error.code === 503) await this.#ensure().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, full ? pauseMs * (0.5 + Math.random()) : 250));
      }
    }
    return false;
  }

  /**
   * Takes out tokens whose window is over. The server would, but only looks four times a second, and a fifth of the rate
   * would be lost to that. What is older than an expired token of this worker has expired too, whoever's it is.
   */
  async #clear(): Promise<boolean> {
    const now = performance.now();
    const over = now - this.#keptMs;
    if (!this.#mayPurge || now - this.#purgedAt < PURGE_MS) return false;
    let expired: Token | undefined;
    while (this.#taken[0] !== undefined && this.#taken[0].at <= over) expired = this.#taken.shift();
    if (expired === undefined) return false;
    this.#purgedAt = now;
    const upTo = JSON.stringify({ seq: expired.seq + 1 });
    try {
      await this.#connection.request(`$JS.API.STREAM.PURGE.${this.#stream}`, upTo, { timeout: 1_000 });
      return true;
    } catch (error) {
      // A worker that may not is left with what the server does by itself.
      this.#mayPurge = !(error instanceof PermissionViolationError);
      return false;
    }
  }

  async #ensure(): Promise<void> {
    const { limit, perMs, replicas } = this.#rate;
    await ensureLimitStream(this.#connection, {
      name: this.#stream,
      subjects: [`${SUBJECT.rate}.${token(this.#name)}`],
      storage: perMs > LONG_MS ? StorageType.File : StorageType.Memory,
      num_replicas: replicas,
      max_msgs: limit,
      max_age: nanos(this.#keptMs),
      discard: DiscardPolicy.New,
    });
  }
}
