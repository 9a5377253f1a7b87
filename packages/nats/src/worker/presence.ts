import type { KV } from "@nats-io/kv";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { encodeCard, HEARTBEAT_MS, type WorkerCard } from "../fleet/worker-card.ts";
import { SUBJECT } from "../wire/names.ts";

/** Makes a worker visible: a card that expires when it stops being renewed, and an answer to "do you run this?". */
export class Presence {
  readonly #bucket: KV;
  readonly #card: () => WorkerCard;
  readonly #subscription: Subscription;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    connection: NatsConnection,
    bucket: KV,
    card: () => WorkerCard,
    isRunning: (key: string) => boolean,
  ) {
    this.#bucket = bucket;
    this.#card = card;
    this.#subscription = connection.subscribe(`${SUBJECT.worker}.${card().id}`, {
      callback: (_error, message) => {
        message.respond(isRunning(message.string()) ? "running" : "no");
      },
    });
  }

  async start(): Promise<void> {
    await this.renew();
    this.#timer = setInterval(() => void this.renew().catch(() => {}), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Shows the card as it is now. */
  async renew(): Promise<void> {
    const card = this.#card();
    await this.#bucket.put(card.id, encodeCard(card));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bucket.delete(this.#card().id).catch(() => {});
    this.#subscription.unsubscribe();
  }
}
