import { DiscardPolicy, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "../acked-publisher.ts";
import { SUBJECT, shortHash, token } from "../names.ts";

export interface FleetRate {
  limit: number;
  perMs: number;
}

/** A window this long should outlive a restart of the server; shorter ones are kept in memory. */
const LONG_MS = 60_000;

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

  /** Resolves true when the call may start, and false when the gate was closed before. */
  pass(): Promise<boolean> {
    const turn = this.#last.then(() => this.#acquire());
    this.#last = turn;
    return turn;
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
        await this.#publisher.publish(subject, "");
        this.#nextAt = performance.now() + perMs / limit / 2;
        return true;
      } catch (error) {
        const full = error instanceof PublishError && error.isFull;
        if (error instanceof PublishError && error.code === 503) await this.#ensure().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, full ? pauseMs * (0.5 + Math.random()) : 250));
      }
    }
    return false;
  }

  async #ensure(): Promise<void> {
    const { limit, perMs } = this.#rate;
    const manager = await jetstreamManager(this.#connection, { checkAPI: false });
    const config = {
      name: `TOOL_RATE_${this.#name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)}_${shortHash(this.#name)}`,
      subjects: [`${SUBJECT.rate}.${token(this.#name)}`],
      storage: perMs > LONG_MS ? StorageType.File : StorageType.Memory,
      max_msgs: limit,
      max_age: nanos(perMs),
      discard: DiscardPolicy.New,
      duplicate_window: nanos(Math.max(100, Math.min(perMs, 120_000))),
    };
    const { storage: _, ...changes } = config;
    await manager.streams.add(config).catch(() => manager.streams.update(config.name, changes));
  }
}
