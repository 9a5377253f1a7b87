import type { KV } from "@nats-io/kv";
import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { encodeCard, HEARTBEAT_MS, type WorkerCard } from "../fleet/worker-card.ts";
import { answer } from "../wire/answer.ts";
import { listen, type Refusals } from "../wire/listen.ts";
import { SUBJECT } from "../wire/names.ts";
import { missing, remedyOf } from "../wire/permissions.ts";
import { retrying } from "../wire/retrying.ts";
import type { RunningCalls } from "./deliver/running-calls.ts";

export interface PresenceParts {
  connection: NatsConnection;
  /** The bucket of all workers' cards. */
  cards: KV;
  /** Its name. */
  bucket: string;
  worker: string;
  running: RunningCalls;
  refusals: Refusals;
  /** The worker as it is now. */
  card(): WorkerCard;
}

/** For so long a worker that starts waits for a stream to have a leader. */
const LEADER_MS = 30_000;

/** Makes a worker visible: a card that expires when it stops being renewed, and an answer to "do you run this?". */
export class Presence {
  readonly #parts: PresenceParts;
  #subscription: Subscription | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { connection, worker, running, refusals } = this.#parts;
    const tell = (message: Msg) => answer(message, running.has(message.string()) ? "running" : "no");
    this.#subscription = listen(connection, `${SUBJECT.worker}.${worker}`, tell, { refusals });
    const since = performance.now();
    const isInTime = () => performance.now() - since < LEADER_MS;
    await retrying(() => this.#show(), isInTime).catch((error: unknown) => {
      if (remedyOf(error) === undefined) throw error;
      throw missing(connection, [`$KV.${this.#parts.bucket}.*`], []);
    });
    this.#timer = setInterval(() => void this.renew(), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Shows the card as it is now. A server that cannot be reached is shown the next one. */
  async renew(): Promise<void> {
    await this.#show().catch(() => {});
  }

  async stop(): Promise<void> {
    if (this.#subscription === undefined) return;
    clearInterval(this.#timer);
    await this.#parts.cards.delete(this.#parts.worker).catch(() => {});
    this.#subscription.unsubscribe();
  }

  async #show(): Promise<void> {
    const { cards, worker, card } = this.#parts;
    await cards.put(worker, encodeCard(card()));
  }
}
