import { setTimeout as pause } from "node:timers/promises";
import { createInbox, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { listen } from "../../wire/listen.ts";
import type { Outbox } from "../../wire/outbox.ts";
import { Delivered } from "../deliver/delivered.ts";

const EXPIRES_MS = 30_000;
const RETRY_MS = 250;

export interface PullOptions {
  stream: string;
  consumer: string;
  /** How many messages are handled at once. */
  slots: number;
  /** How many more could start at once, whichever queue they come by. */
  spare(): number;
  inboxPrefix: string | undefined;
  outbox: Outbox;
  handle(message: Delivered): Promise<void>;
  /** Told when one has been, and its slot is free again. */
  onHandled(): void;
  /** Called when the consumer is gone; resolves when it is there again. */
  repair(): Promise<void>;
}

/**
 * Asks for as many messages as there are free slots, never more: what is pulled runs, and what cannot run here stays on
 * the server for other workers. Asks again when half of the slots are free, or when nothing is on its way.
 */
export class Pull {
  readonly #connection: NatsConnection;
  readonly #options: PullOptions;
  readonly #subject: string;
  #subscription: Subscription | undefined;
  #inbox = "";
  #active = 0;
  #requested = 0;
  /** When the latest request is over at the server. */
  #expiresAt = 0;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  #repairing = false;

  constructor(connection: NatsConnection, options: PullOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${options.stream}.${options.consumer}`;
  }

  get running(): boolean {
    return this.#subscription !== undefined;
  }

  start(): void {
    if (this.#subscription !== undefined) return;
    this.#inbox = createInbox(this.#options.inboxPrefix);
    const subscription = listen(this.#connection, this.#inbox, (message) =>
      this.#receive(subscription, message),
    );
    this.#subscription = subscription;
    this.#watchdog = setInterval(() => {
      if (this.#requested > 0 && Date.now() > this.#expiresAt) this.forget();
    }, 1_000);
    this.#watchdog.unref();
    this.#requested = 0;
    this.refill();
  }

  /** Takes nothing new. What the server sent before it heard of this goes back at once. Can be started again. */
  async stop(): Promise<void> {
    const subscription = this.#subscription;
    if (subscription === undefined) return;
    this.#subscription = undefined;
    clearInterval(this.#watchdog);
    await subscription.drain().catch(() => {});
  }

  /** The server forgot what it was asked for, as it does when the connection breaks: ask anew. */
  forget(): void {
    this.#requested = 0;
    this.refill();
  }

  /** Asks for what can be handled and was not asked for yet. */
  refill(): void {
    if (this.#subscription === undefined || this.#repairing) return;
    const { slots, spare } = this.#options;
    const free = Math.min(slots - this.#active - this.#requested, spare());
    if (free <= 0 || (this.#requested > 0 && free < slots / 2)) return;
    this.#requested += free;
    this.#expiresAt = Date.now() + EXPIRES_MS + 2_000;
    try {
      const wanted = JSON.stringify({ batch: free, expires: EXPIRES_MS * 1_000_000 });
      this.#connection.publish(this.#subject, wanted, { reply: this.#inbox });
    } catch {
      // The connection is closed, and with it this worker.
      this.#requested -= free;
    }
  }

  #receive(subscription: Subscription, message: Msg): void {
    const code = message.headers?.code ?? 0;
    if (code >= 100 && (message.reply === undefined || message.reply === "")) {
      if (subscription === this.#subscription) this.#status(code, message);
      return;
    }
    const delivered = new Delivered(message, this.#options.outbox);
    if (subscription !== this.#subscription) {
      delivered.nak();
      return;
    }
    this.#requested = Math.max(0, this.#requested - 1);
    this.#active += 1;
    const done = () => {
      this.#active -= 1;
      this.#options.onHandled();
      this.refill();
    };
    void this.#options.handle(delivered).then(done, done);
  }

  /** The server ended a request: its time is over, or something is wrong with the consumer. */
  #status(code: number, message: Msg): void {
    if (code === 100) return;
    if (code === 408 || code === 404) {
      const left = Number(message.headers?.get("Nats-Pending-Messages") ?? "");
      this.#requested = Math.max(0, this.#requested - (left || this.#requested));
      this.refill();
      return;
    }
    void this.#recover();
  }

  async #recover(): Promise<void> {
    if (this.#repairing) return;
    this.#repairing = true;
    await pause(RETRY_MS);
    await this.#options.repair().catch(() => {});
    this.#repairing = false;
    this.forget();
  }
}
